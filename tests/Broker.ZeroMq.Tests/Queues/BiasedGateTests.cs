namespace Broker.ZeroMq.Tests.Queues;

public sealed class BiasedGateTests
{
    [Fact]
    public void A_single_thread_enters_without_the_lock_from_its_second_entry()
    {
        var gate = new BiasedGate();

        gate.Exit(gate.Enter());
        BiasedGate.Bias? bias = gate.Enter();
        gate.Exit(bias);

        Assert.NotNull(bias);
    }

    [Fact]
    public void A_second_thread_revokes_the_bias_of_the_first()
    {
        var gate = new BiasedGate();
        gate.Exit(gate.Enter());

        OnAnotherThread(() => gate.Exit(gate.Enter()));
        BiasedGate.Bias? bias = gate.Enter();
        gate.Exit(bias);

        Assert.Null(bias);
    }

    [Fact]
    public void The_gate_is_biased_again_after_a_long_time_with_one_thread()
    {
        var gate = new BiasedGate();
        gate.Exit(gate.Enter());
        OnAnotherThread(() => gate.Exit(gate.Enter()));

        int entries = 0;
        BiasedGate.Bias? bias = null;
        while (bias is null && entries++ < 100_000)
        {
            bias = gate.Enter();
            gate.Exit(bias);
        }

        Assert.NotNull(bias);
    }

    [Fact]
    public void No_thread_enters_while_the_favoured_thread_is_in_the_gate()
    {
        var gate = new BiasedGate();
        gate.Exit(gate.Enter());
        BiasedGate.Bias? bias = gate.Enter();
        using var entered = new ManualResetEventSlim();
        var other = new Thread(() =>
        {
            gate.Exit(gate.Enter());
            entered.Set();
        });
        other.Start();

        bool early = entered.Wait(TimeSpan.FromMilliseconds(50), TestContext.Current.CancellationToken);
        gate.Exit(bias);
        Assert.True(other.Join(TimeSpan.FromMinutes(2)));
        Assert.False(early);
    }

    /// <summary>
    /// Threads start and end, so that the bias is given and revoked many times while other threads are in the gate.
    /// </summary>
    [Fact]
    public void A_plain_counter_under_the_gate_is_exact_with_any_threads()
    {
        const int Threads = 8;
        const int Rounds = 60;
        var gate = new BiasedGate();
        long counter = 0;
        long expected = 0;
        for (int round = 0; round < Rounds; round++)
        {
            // Usually one thread counts for a long time, and the others start meanwhile.
            var threads = new Thread[round % Threads + 1];
            for (int i = 0; i < threads.Length; i++)
            {
                int times = i == 0 ? 40_000 : 200;
                expected += times;
                threads[i] = new Thread(() =>
                {
                    for (int n = 0; n < times; n++)
                    {
                        BiasedGate.Bias? bias = gate.Enter();
                        counter++;
                        gate.Exit(bias);
                    }
                });
            }

            Array.ForEach(threads, thread => thread.Start());
            Array.ForEach(threads, thread => thread.Join());
        }

        Assert.Equal(expected, counter);
    }

    private static void OnAnotherThread(Action action)
    {
        var thread = new Thread(() => action());
        thread.Start();
        thread.Join();
    }
}
