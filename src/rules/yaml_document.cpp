#include "rules/yaml_document.hpp"

#include <fmt/format.h>
#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>

#include <exception>
#include <istream>
#include <new>
#include <streambuf>
#include <string>

namespace stint::inline v0::rules {
namespace {

// Thrown through yaml-cpp, which has no other way to end early.
struct Stopped {};
struct TooManyNodes {
    YAML::Mark mark;
};

/// The text as yaml-cpp's scanner takes it, 2 KiB at a time, until a stop is asked for.
class Text final : public std::streambuf {
public:
    Text(std::string& text, const std::stop_token& stop) : stop_{stop} {
        setg(text.data(), text.data(), text.data() + text.size());
    }

protected:
    std::streamsize xsgetn(char* to, std::streamsize size) override {
        if (stop_.stop_requested()) throw Stopped{};
        return std::streambuf::xsgetn(to, size);
    }

private:
    const std::stop_token& stop_;
};

/// Listens to a parser without building anything: counts nodes.
class Listener final : public YAML::EventHandler {
public:
    explicit Listener(ReadBudget& budget) : budget_{budget} {}

    void OnDocumentStart(const YAML::Mark& mark) override { start = mark; }
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark& mark, YAML::anchor_t) override { count(mark); }
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { count(mark); }
    void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t, const std::string&) override {
        count(mark);
    }
    void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                         YAML::EmitterStyle::value) override {
        count(mark);
    }
    void OnSequenceEnd() override {}
    void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {
        count(mark);
    }
    void OnMapEnd() override {}

    YAML::Mark start;

private:
    void count(const YAML::Mark& mark) {
        if (budget_.stop.stop_requested()) throw Stopped{};
        if (budget_.nodes_left == 0) throw TooManyNodes{mark};
        --budget_.nodes_left;
    }

    ReadBudget& budget_;
};

/// Returns: whether the text is one document of a bearable size; if not, that is noted.
bool look_through(std::string& text, Notes& notes, ReadBudget& budget) {
    // Not LoadAll: it never ends on a lone comma, which yaml-cpp 0.7 takes
    // for a document without end. So look for a second document, no more.
    Text source{text, budget.stop};
    std::istream stream{&source};
    YAML::Parser parser{stream};
    Listener listener{budget};
    if (!parser.HandleNextDocument(listener)) {
        notes.add(YAML::Mark{}, "the file is empty; it needs `version: 1` and `rules:`");
        return false;
    }
    if (parser.HandleNextDocument(listener)) {
        notes.add(listener.start, "a second YAML document begins; a rule file holds one");
        return false;
    }
    return true;
}

}  // namespace

std::optional<YAML::Node> read_document(std::string_view text, Notes& notes, ReadBudget& budget) {
    try {
        // yaml-cpp leaks its buffer if its first look at the text throws.
        if (budget.stop.stop_requested()) throw Stopped{};
        std::string copy{text};
        if (!look_through(copy, notes, budget)) return std::nullopt;
        Text source{copy, budget.stop};
        std::istream stream{&source};
        return YAML::Load(stream);
    } catch (const Stopped&) {
        budget.over = true;
        notes.add(YAML::Mark::null_mark(), "reading was stopped");
    } catch (const TooManyNodes& error) {
        budget.over = true;
        notes.add(error.mark,
                  fmt::format("too large: keys, values, lists and mappings are more than {} up to here, all files "
                              "together; no more are read",
                              kNodesMax));
    } catch (const YAML::DeepRecursion& error) {
        notes.add(error.mark, "nested too deeply");
    } catch (const YAML::Exception& error) {
        notes.add(error.mark, "this is no YAML: " + error.msg);
    } catch (const std::bad_alloc&) {
        budget.over = true;
        notes.add(YAML::Mark::null_mark(), "there is not enough memory to read it");
    } catch (const std::exception& error) {
        notes.add(YAML::Mark::null_mark(), std::string{"this is no YAML: "} + error.what());
    }
    return std::nullopt;
}

}  // namespace stint::inline v0::rules
