using System.Buffers.Binary;
using System.Diagnostics;
using System.Globalization;
using Broker.Transport;

namespace Broker.ZeroMq.Tests.Threads;

[Collection(Alone.Name)]
public sealed class StressTests
{
    private static readonly TimeSpan Guard = Wait.Limit;

    // To run it for a minute: BROKER_STRESS_SECONDS=60 dotnet test --filter FullyQualifiedName~StressTests
    private static readonly TimeSpan Duration = TimeSpan.FromSeconds(
        int.TryParse(Environment.GetEnvironmentVariable("BROKER_STRESS_SECONDS"), CultureInfo.InvariantCulture, out int seconds) ? seconds : 3);

    /// <summary>
    /// Four threads send on one socket and four receive on another one, in all ways, while further senders connect,
    /// send some messages and close. Each message must be received exactly once, and no memory may be left.
    /// </summary>
    [Theory]
    [InlineData("tcp://127.0.0.1:*", false)]
    [InlineData("tcp://127.0.0.1:*", true)]
    [InlineData("inproc://stress", false)]
    public async Task Eight_threads_on_shared_sockets_lose_and_duplicate_nothing_while_peers_connect_and_disconnect(string somewhere, bool portable)
    {
        using var loops = new EventLoopGroup(new EventLoopOptions { Loops = 2, ForcePortable = portable });
        using var context = new ZeroMqContext(loops);
        var options = new ZeroMqSocketOptions { SendHighWaterMark = 100, ReceiveHighWaterMark = 100, Attempts = 10, Linger = Guard };
        var pull = new PullSocket(options, context);
        var push = new PushSocket(options, context);
        string endpoint = pull.Bind(somewhere);
        push.Connect(endpoint);
        long sentCount = 0, sentSum = 0, receivedCount = 0, receivedSum = 0, number = 0;
        var start = Stopwatch.StartNew();

        void Sent(long value)
        {
            Interlocked.Increment(ref sentCount);
            Interlocked.Add(ref sentSum, value);
        }

        Task[] senders = Enumerable.Range(0, 4).Select(i => Task.Factory.StartNew(() =>
        {
            byte[] body = new byte[8 + (i * 300)];
            using var message = new ZeroMqMessage();
            while (start.Elapsed < Duration)
            {
                long value = Interlocked.Increment(ref number);
                BinaryPrimitives.WriteInt64LittleEndian(body, value);
                if (i == 0)
                {
                    while (!push.TrySend(body, TimeSpan.FromMilliseconds(1)))
                    {
                    }
                }
                else if (i == 1)
                {
                    push.Send(message.Clear().Append(body).Append("further"u8));
                }
                else
                {
                    push.Send(body);
                }

                Sent(value);
            }
        }, TestContext.Current.CancellationToken, TaskCreationOptions.LongRunning, TaskScheduler.Default)).ToArray();
        Task[] visitors = Enumerable.Range(0, 2).Select(_ => Task.Run(async () =>
        {
            byte[] body = new byte[100];
            while (start.Elapsed < Duration)
            {
                await using var visitor = new PushSocket(options, context);
                visitor.Connect(endpoint);
                for (int i = 0; i < 50; i++)
                {
                    long value = Interlocked.Increment(ref number);
                    BinaryPrimitives.WriteInt64LittleEndian(body, value);
                    await visitor.SendAsync(body.AsMemory());
                    Sent(value);
                }
            }
        }, TestContext.Current.CancellationToken)).ToArray();
        Task[] receivers = Enumerable.Range(0, 4).Select(i => Task.Run(async () =>
        {
            using var message = new ZeroMqMessage();
            try
            {
                while (true)
                {
                    if (i < 2)
                    {
                        pull.Receive(message);
                    }
                    else if (i == 2)
                    {
                        await pull.ReceiveAsync(message);
                    }
                    else if (!pull.TryReceive(message, TimeSpan.FromMilliseconds(1)))
                    {
                        continue;
                    }

                    Interlocked.Add(ref receivedSum, BinaryPrimitives.ReadInt64LittleEndian(message.First));
                    Interlocked.Increment(ref receivedCount);
                }
            }
            catch (ObjectDisposedException)
            {
            }
        }, TestContext.Current.CancellationToken)).ToArray();

        await Task.WhenAll([.. senders, .. visitors]).WaitAsync(Duration + Guard, TestContext.Current.CancellationToken);
        Wait.Until(
            () => Interlocked.Read(ref receivedCount) >= Interlocked.Read(ref sentCount),
            () => $"{receivedCount} of {sentCount} messages were received.");
        Assert.Equal(0, (await push.CloseAsync()).Undelivered);
        await pull.CloseAsync();
        await Task.WhenAll(receivers).WaitAsync(Guard, TestContext.Current.CancellationToken);

        Assert.Equal(sentCount, receivedCount);
        Assert.Equal(sentSum, receivedSum);
        Assert.Equal(0, context.BufferedBytes);

        // A connection returns its queue when its socket has been notified of its end.
        await Wait.UntilAsync(() => loops.BufferedBytes == 0, () => $"{loops.BufferedBytes} bytes are held");
    }
}
