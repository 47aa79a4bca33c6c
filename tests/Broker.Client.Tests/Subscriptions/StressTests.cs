using System.Diagnostics;
using System.Globalization;
using Broker.Client.Tests.Support;

namespace Broker.Client.Tests.Subscriptions;

/// <summary>
/// Many threads publish while subscriptions are created and ended. <c>BROKER_STRESS_SECONDS</c> sets the duration. A
/// few seconds are enough for each change.
/// </summary>
public sealed class StressTests
{
    private const int Threads = 8;
    private const int Subscriptions = 1000;
    private const int Batch = 100;
    private const int MostOnTheWay = 10_000;

    private static readonly TimeSpan Length = TimeSpan.FromSeconds(
        int.TryParse(Environment.GetEnvironmentVariable("BROKER_STRESS_SECONDS"), CultureInfo.InvariantCulture, out int seconds) ? seconds : 3);

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(ServerKind.Broker, false)]
    [InlineData(ServerKind.Nats, false)]
    [InlineData(ServerKind.Nats, true)]
    public async Task Eight_threads_publish_and_a_thousand_subscriptions_come_and_go_and_the_counts_are_exact(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        // The publisher does not receive its own messages, so the two directions do not block each other.
        await using BrokerConnection publisher = await Patient.ConnectAsync(server.Options, Token);
        await using BrokerConnection reader = await Patient.ConnectAsync(server.Options, Token);
        long[] stayed = new long[Threads];
        long disorder = 0;
        for (int i = 0; i < Threads; i++)
        {
            int who = i;
            reader.Subscribe($"stress.{who}", (in MessageView m) =>
            {
                disorder += BitConverter.ToInt64(m.Body) == stayed[who] ? 0 : 1;
                stayed[who]++;
            });
        }

        await reader.PingAsync(Token);
        long[] published = new long[Threads];
        var clock = Stopwatch.StartNew();
        Thread[] threads = [.. Enumerable.Range(0, Threads).Select(who => new Thread(() =>
        {
            byte[] subject = System.Text.Encoding.ASCII.GetBytes($"stress.{who}");
            byte[] body = new byte[16];
            while (clock.Elapsed < Length)
            {
                // A reader that shares two processors with all these threads must not become a slow consumer.
                for (int i = 0; i < 32 && published[who] - Volatile.Read(ref stayed[who]) < MostOnTheWay; i++)
                {
                    BitConverter.TryWriteBytes(body, published[who]);
                    if (publisher.PublishWithStatus(subject, body) == PublishStatus.Accepted)
                    {
                        published[who]++;
                    }
                }

                Thread.Sleep(1);
            }
        }))];
        foreach (Thread thread in threads)
        {
            thread.Start();
        }

        // A hundred subscriptions exist at a time. Each gets three messages and is replaced by another one, and each
        // must have received exactly its messages.
        var live = new Queue<Visitor>();
        long number = 0;
        while (clock.Elapsed < Length || number == 0)
        {
            var come = new List<Visitor>();
            while (live.Count < Subscriptions)
            {
                var visitor = new Visitor(reader, $"visit.{number++}");
                come.Add(visitor);
                live.Enqueue(visitor);
            }

            await reader.PingAsync(Token);
            await TellAsync(come, 3);
            Assert.All(come, v => Assert.Equal(v.Most, v.Given));
            Visitor[] gone = [.. Enumerable.Range(0, Batch).Select(_ => live.Dequeue())];
            foreach (Visitor visitor in gone)
            {
                visitor.Subscription.Dispose();
            }

            await TellAsync(gone, 1);
            Assert.All(gone, v => Assert.Equal(v.Most, v.Given));
        }

        async Task TellAsync(IReadOnlyCollection<Visitor> visitors, int messages)
        {
            foreach (Visitor visitor in visitors)
            {
                for (int i = 0; i < messages; i++)
                {
                    publisher.Publish(visitor.Subscription.Filter, default);
                }
            }

            // After the first answer the server has processed the messages, and after the second one the reader has
            // them.
            await publisher.FlushAsync(Token);
            await reader.PingAsync(Token);
        }

        foreach (Thread thread in threads)
        {
            thread.Join();
        }

        foreach (Visitor visitor in live)
        {
            visitor.Subscription.Dispose();
        }

        await publisher.FlushAsync(Token);
        await reader.PingAsync(Token);
        Assert.Equal(published, stayed);
        Assert.Equal(0, disorder);
        Assert.Equal(Threads, reader.Core.Subscriber.Table.Count);
        ClientStatistics sent = publisher.GetStatistics();
        Assert.Equal((0L, 0L), (sent.Lost, sent.Unconfirmed));
    }

    /// <summary>A subscription. Every second one ends itself after two messages.</summary>
    private sealed class Visitor
    {
        private static readonly MessageHandler Count = static (in MessageView m) => ((Visitor)m.Subscription.State!)._given++;

        private long _given;

        internal Visitor(BrokerConnection reader, string subject)
        {
            Subscription = reader.Subscribe(subject, Count, state: this);
            Most = 3;
            if (subject[^1] % 2 == 0)
            {
                Most = 2;
                Subscription.AutoUnsubscribe(2);
            }
        }

        internal Subscription Subscription { get; }

        internal long Most { get; }

        internal long Given => Volatile.Read(ref _given);
    }
}
