namespace Broker.Transport.Tests;

/// <summary>
/// Many connections, of which every second one pauses and resumes at random: every byte arrives once and in order. It
/// runs for some seconds, or for as long as <c>BROKER_STRESS_SECONDS</c> says.
/// </summary>
public sealed class PausingStressTests
{
    private const int Crowd = 1000;

    private static readonly int Seconds = int.TryParse(Environment.GetEnvironmentVariable("BROKER_STRESS_SECONDS"), out int seconds) ? seconds : 3;

    [Theory]
    [InlineData(TransportKind.Epoll)]
    [InlineData(TransportKind.InProcess)]
    public async Task Every_byte_arrives_once_and_in_order_while_every_other_connection_pauses_at_random(TransportKind kind)
    {
        CancellationToken cancellation = TestContext.Current.CancellationToken;
        using var pairs = new ConnectionPairs(kind);
        int seed = Seed.Next();
        int pauses = 0;
        bool allPause = false;
        var made = new List<(Probe Near, Probe Far)>();
        for (int i = 0; i < Crowd; i++)
        {
            var random = new Random(seed + i);
            bool pausing = i % 2 == 0;
            byte expected = 0;
            var far = new Probe
            {
                WhenReceived = (Connection connection, ReadOnlySpan<byte> bytes, ref int _) =>
                {
                    // The last call must not ask for bytes that never come.
                    int consumed = bytes.Length == 1 ? 1 : random.Next(1, bytes.Length + 1);
                    foreach (byte got in bytes[..consumed])
                    {
                        if (got != expected++)
                        {
                            throw new InvalidDataException($"{got} where {expected - 1} was due");
                        }
                    }

                    if (pausing && random.Next(4) == 0)
                    {
                        Interlocked.Increment(ref pauses);
                        connection.PauseReceiving();
                        connection.Loop.StartTimer(TimeSpan.FromMilliseconds(random.Next(20)), () =>
                        {
                            if (!Volatile.Read(ref allPause))
                            {
                                connection.ResumeReceiving();
                            }
                        });
                    }
                    else if (consumed < bytes.Length)
                    {
                        connection.YieldReceiving();
                    }

                    return consumed;
                },
            };
            var near = new Probe();
            await pairs.ConnectAsync(near, far);
            made.Add((near, far));
        }

        long until = Environment.TickCount64 + (Seconds * 1000L);
        long[] sent = new long[Crowd];
        var lengths = new Random(seed + Crowd);
        while (Environment.TickCount64 < until)
        {
            for (int i = 0; i < Crowd; i++)
            {
                byte[] some = new byte[lengths.Next(1, 3000)];
                for (int at = 0; at < some.Length; at++)
                {
                    some[at] = (byte)(sent[i] + at);
                }

                Connection connection = made[i].Near.Connection;
                connection.ExternalWriteBuffer.Write(some);
                connection.FlushExternal();
                sent[i] += some.Length;
            }

            await Task.Delay(20, cancellation);
        }

        // A failure closes its connection and is reported below.
        Task all = Wait.UntilAsync(
            () => Enumerable.Range(0, Crowd).All(i => made[i].Far.Received == sent[i] || made[i].Far.Closed.IsCompleted), cancellation);
        await all.WaitAsync(ConnectionPairs.WaitLimit, cancellation);
        Assert.All(made, pair => Assert.Null(pair.Far.Error));
        Assert.All(Enumerable.Range(0, Crowd), i => Assert.Equal(sent[i], made[i].Far.Received));
        Assert.True(pauses > Crowd, $"{pauses} pauses");

        // All connections, with bytes waiting. The cost is printed for people who run this alone; the test does not
        // judge it.
        int paused = 0;
        Volatile.Write(ref allPause, true);
        foreach ((Probe near, Probe far) in made)
        {
            far.Connection.Loop.Post(() =>
            {
                far.Connection.PauseReceiving();
                Interlocked.Increment(ref paused);
            });
        }

        await Wait.UntilAsync(() => Volatile.Read(ref paused) == Crowd, cancellation).WaitAsync(ConnectionPairs.WaitLimit, cancellation);
        long[] before = [.. made.Select(static pair => pair.Far.Received)];
        foreach ((Probe near, _) in made)
        {
            near.Connection.ExternalWriteBuffer.Write("held up"u8);
            near.Connection.FlushExternal();
        }

        await Task.Delay(200, cancellation);
        TimeSpan spent = Environment.CpuUsage.TotalTime;
        await Task.Delay(TimeSpan.FromSeconds(Seconds / 3), cancellation);
        spent = Environment.CpuUsage.TotalTime - spent;
        TestContext.Current.TestOutputHelper?.WriteLine(
            $"{kind}: {pauses} pauses, {sent.Sum()} bytes; with all {Crowd} paused {spent.TotalMilliseconds:f1} ms of processor time in {Seconds / 3} s");
        Assert.Equal(before, made.Select(static pair => pair.Far.Received));
    }
}
