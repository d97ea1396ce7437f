/* Boost.MSM: the transitions of cycle.json that the cycle takes, with their guards, compiled. */
#include <boost/msm/back/state_machine.hpp>
#include <boost/msm/front/functor_row.hpp>
#include <boost/msm/front/state_machine_def.hpp>
#include <chrono>
#include <cstdio>

namespace msm = boost::msm;
using msm::front::none;
using msm::front::Row;

struct START {
};
struct ANALYSIS_COMPLETE {
};
struct SPAWN_AGENT {
};
struct AGENT_DONE {
};
struct ENTER_TEST_PHASE {
};
struct TESTS_FAILED {
};
struct START_FIX {
};
struct FIX_COMPLETE {
};
struct ALL_TESTS_PASS {
};
struct TESTS_PASSED_CONTINUE {
};
struct WORKFLOW_COMPLETE {
};
struct FINALIZE {
};

struct may_spawn {
    template <class E, class F, class S, class T> bool operator()(E const &, F &f, S &, T &)
    {
        return f.queued > 0 || f.suggested > 0;
    }
};
struct is_empty {
    template <class E, class F, class S, class T> bool operator()(E const &, F &f, S &, T &)
    {
        return f.queued == 0;
    }
};
struct is_tester {
    template <class E, class F, class S, class T> bool operator()(E const &, F &f, S &, T &)
    {
        return f.agent == 1;
    }
};
struct may_fix {
    template <class E, class F, class S, class T> bool operator()(E const &, F &f, S &, T &)
    {
        return f.retries < f.max_retries;
    }
};
struct count {
    template <class E, class F, class S, class T> void operator()(E const &, F &f, S &, T &)
    {
        f.retries++;
    }
};
struct forget {
    template <class E, class F, class S, class T> void operator()(E const &, F &f, S &, T &)
    {
        f.retries = 0;
    }
};

struct table_ : msm::front::state_machine_def<table_> {
    typedef int no_exception_thrown;
    typedef int no_message_queue;
    int queued = 0, suggested = 1, retries = 0, max_retries = 3, agent = 1;
    struct Idle : msm::front::state<> {
    };
    struct Analyzing : msm::front::state<> {
    };
    struct Orchestrating : msm::front::state<> {
    };
    struct Working : msm::front::state<> {
    };
    struct Complete : msm::front::state<> {
    };
    struct Testing : msm::front::state<> {
    };
    struct Pass : msm::front::state<> {
    };
    struct Fail : msm::front::state<> {
    };
    struct Fixing : msm::front::state<> {
    };
    struct Completing : msm::front::state<> {
    };
    struct Completed : msm::front::state<> {
    };
    typedef Idle initial_state;
    struct transition_table
        : boost::mpl::vector<Row<Idle, START, Analyzing, none, none>,
                             Row<Analyzing, ANALYSIS_COMPLETE, Orchestrating, none, none>,
                             Row<Orchestrating, SPAWN_AGENT, Working, none, may_spawn>,
                             Row<Orchestrating, WORKFLOW_COMPLETE, Completing, none, is_empty>,
                             Row<Working, AGENT_DONE, Complete, none, none>,
                             Row<Complete, ENTER_TEST_PHASE, Testing, none, is_tester>,
                             Row<Testing, TESTS_FAILED, Fail, none, none>,
                             Row<Testing, ALL_TESTS_PASS, Pass, none, none>,
                             Row<Fail, START_FIX, Fixing, count, may_fix>,
                             Row<Fixing, FIX_COMPLETE, Testing, none, none>,
                             Row<Pass, TESTS_PASSED_CONTINUE, Orchestrating, none, none>,
                             Row<Completing, FINALIZE, Completed, none, none>,
                             Row<Completed, START, Analyzing, forget, none>> {
    };
    template <class F, class E> void no_transition(E const &, F &, int)
    {
        std::abort();
    }
};

static void cycle(msm::back::state_machine<table_> &one)
{
    one.process_event(START());
    one.process_event(ANALYSIS_COMPLETE());
    one.process_event(SPAWN_AGENT());
    one.process_event(AGENT_DONE());
    one.process_event(ENTER_TEST_PHASE());
    one.process_event(TESTS_FAILED());
    one.process_event(START_FIX());
    one.process_event(FIX_COMPLETE());
    one.process_event(ALL_TESTS_PASS());
    one.process_event(TESTS_PASSED_CONTINUE());
    one.process_event(WORKFLOW_COMPLETE());
    one.process_event(FINALIZE());
}

int main()
{
    msm::back::state_machine<table_> one;
    const long cycles = 3000000;
    one.start();
    cycle(one);
    auto begin = std::chrono::steady_clock::now();
    for (long i = 0; i < cycles; i++)
        cycle(one);
    std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - begin;
    std::printf("{\"workload\": \"peers\", \"figure\": \"boost.msm\", \"value\": %g, "
                "\"unit\": \"ns\", \"floor\": \"number/hot\"}\n",
                spent.count() / cycles / 12);
}
