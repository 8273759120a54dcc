// protoc-gen-stint: protoc runs it, as it runs grpc_cpp_plugin, for
// --stint_out; docs/grpc.md.
#include <google/protobuf/compiler/code_generator.h>
#include <google/protobuf/compiler/plugin.h>
#include <google/protobuf/io/printer.h>
#include <google/protobuf/io/zero_copy_stream.h>

#include <memory>
#include <string>

#include "protoc/decorator.hpp"

namespace {

class Generator final : public google::protobuf::compiler::CodeGenerator {
public:
    bool Generate(const google::protobuf::FileDescriptor* file, const std::string& parameter,
                  google::protobuf::compiler::GeneratorContext* context, std::string* error) const override {
        if (!parameter.empty()) {
            *error = "protoc-gen-stint takes no parameter";
            return false;
        }
        const auto text = stint::protoc::decorate(*file);
        if (!text) {
            *error = text.error();
            return false;
        }
        const std::unique_ptr<google::protobuf::io::ZeroCopyOutputStream> out{
            context->Open(stint::protoc::header_name(*file))};
        google::protobuf::io::Printer{out.get(), '$'}.WriteRaw(text->data(), static_cast<int>(text->size()));
        return true;
    }

    uint64_t GetSupportedFeatures() const override { return FEATURE_PROTO3_OPTIONAL; }
};

}  // namespace

int main(int argc, char** argv) {
    const Generator generator;
    return google::protobuf::compiler::PluginMain(argc, argv, &generator);
}
