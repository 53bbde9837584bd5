//===- Pass.cpp - Passes and pipelines from tables ------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One Pass subclass for each MloptPassDef, with options made from the table.
// Pipelines are built from text, which C composes from the parsed options.
//
//===----------------------------------------------------------------------===//

#include "BridgeImpl.h"

#include "mlir/CAPI/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

#include <cstdarg>

using namespace mlir;

namespace {

/// Options of a pass or a pipeline, in the order of their table.
class OptionSet {
public:
  template <typename Owner>
  void add(Owner &owner, const MloptOptionDef *defs, int n) {
    for (const MloptOptionDef &o : ArrayRef(defs, n)) {
      Value v;
      switch (o.kind) {
      case MLOPT_OPTION_BOOL:
        v.boolean = make<typename Owner::template Option<bool>>(
            owner, o, llvm::cl::init(o.intDefault != 0));
        break;
      case MLOPT_OPTION_INT:
        v.integer = make<typename Owner::template Option<int64_t>>(
            owner, o, llvm::cl::init(o.intDefault));
        break;
      case MLOPT_OPTION_STRING:
        v.string = make<typename Owner::template Option<std::string>>(
            owner, o,
            llvm::cl::init(
                std::string(o.stringDefault ? o.stringDefault : "")));
        break;
      case MLOPT_OPTION_INT_LIST:
        v.list = make<typename Owner::template ListOption<int64_t>>(owner, o);
        break;
      }
      values.push_back(std::move(v));
    }
  }

  using Bool = mlir::detail::PassOptions::Option<bool>;
  using Int = mlir::detail::PassOptions::Option<int64_t>;
  using String = mlir::detail::PassOptions::Option<std::string>;
  using List = mlir::detail::PassOptions::ListOption<int64_t>;
  struct Value {
    std::shared_ptr<Bool> boolean;
    std::shared_ptr<Int> integer;
    std::shared_ptr<String> string;
    std::shared_ptr<List> list;
  };
  SmallVector<Value> values;

private:
  template <typename T, typename Owner, typename... Init>
  static std::shared_ptr<T> make(Owner &owner, const MloptOptionDef &o,
                                 Init &&...init) {
    return std::make_shared<T>(owner, o.name, llvm::cl::desc(o.help),
                               std::forward<Init>(init)...);
  }
};

/// What a MloptPass handle points to.
struct Running {
  OptionSet &options;
  class TablePass *pass = nullptr; // null while a pipeline is built
  std::string text;                // the pipeline being built
};
Running &running(MloptPass p) { return *static_cast<Running *>(p.ptr); }

class TablePass : public Pass {
public:
  TablePass(const MloptPassDef *def)
      : Pass(TypeID::getFromOpaquePointer(def),
             def->anchor ? std::optional<StringRef>(def->anchor)
                         : std::nullopt),
        def(def) {
    options.add(*this, def->options, def->numOptions);
  }
  TablePass(const TablePass &other) : TablePass(other.def) {}

  StringRef getName() const override { return def->argument; }
  StringRef getArgument() const override { return def->argument; }
  StringRef getDescription() const override { return def->summary; }
  void getDependentDialects(DialectRegistry &registry) const override {
    for (auto *h = def->dependent; h && *h; ++h)
      mlirDialectHandleInsertDialect((*h)(), wrap(&registry));
    for (auto *p = def->pipelines; p && *p; ++p)
      if (auto manager = parsePassPipeline(*p); succeeded(manager))
        manager->getDependentDialects(registry);
  }
  bool canScheduleOn(RegisteredOperationName name) const override {
    return !def->anchor || name.getStringRef() == def->anchor;
  }
  std::unique_ptr<Pass> clonePass() const override {
    return std::make_unique<TablePass>(*this);
  }
  void runOnOperation() override {
    Running state{options, this, {}};
    def->run(wrap(getOperation()), MloptPass{&state});
  }

  using Pass::runPipeline;
  using Pass::signalPassFailure;
  template <typename T> using Option = Pass::Option<T>;
  template <typename T> using ListOption = Pass::ListOption<T>;

private:
  const MloptPassDef *def;
  OptionSet options;
};

/// A pipeline's options; PassOptions' parser and printer work on them.
struct PipelineOptions : mlir::detail::PassOptions {
  OptionSet set;
  explicit PipelineOptions(const MloptPipelineDef *def) {
    set.add(*this, def->options, def->numOptions);
  }
};

} // namespace

void mloptRegisterPass(const MloptPassDef *def) {
  registerPass([def] { return std::make_unique<TablePass>(def); });
}

MlirPass mloptCreatePass(const MloptPassDef *def) {
  return wrap(static_cast<Pass *>(new TablePass(def)));
}

void mloptRegisterPipeline(const MloptPipelineDef *def) {
  registerPassPipeline(
      def->argument, def->summary,
      [def](OpPassManager &manager, StringRef text,
            function_ref<LogicalResult(const Twine &)> error) {
        PipelineOptions options(def);
        std::string messages;
        llvm::raw_string_ostream stream(messages);
        if (failed(options.parseFromString(text, stream)))
          return error(stream.str());
        Running state{options.set, nullptr, {}};
        def->build(MloptPass{&state});
        return parsePassPipeline(state.text, manager, stream);
      },
      [def](function_ref<void(const mlir::detail::PassOptions &)> visit) {
        visit(PipelineOptions(def));
      });
}

bool mloptPassGetBool(MloptPass p, int option) {
  return running(p).options.values[option].boolean->getValue();
}
int64_t mloptPassGetInt(MloptPass p, int option) {
  return running(p).options.values[option].integer->getValue();
}
MlirStringRef mloptPassGetString(MloptPass p, int option) {
  return wrap(StringRef(running(p).options.values[option].string->getValue()));
}
intptr_t mloptPassGetIntList(MloptPass p, int option, const int64_t **values) {
  ArrayRef<int64_t> list = *running(p).options.values[option].list;
  *values = list.data();
  return list.size();
}

void mloptPassAppend(MloptPass p, const char *format, ...) {
  va_list args;
  va_start(args, format);
  running(p).text += mlopt::formatMessage(format, args);
  va_end(args);
}

void mloptPassSignalFailure(MloptPass p) {
  running(p).pass->signalPassFailure();
}

MlirLogicalResult mloptPassRunPipeline(MloptPass p, const char *pipeline,
                                       MlirOperation op) {
  auto manager = parsePassPipeline(pipeline);
  if (failed(manager))
    return mlirLogicalResultFailure();
  return wrap(running(p).pass->runPipeline(*manager, unwrap(op)));
}
