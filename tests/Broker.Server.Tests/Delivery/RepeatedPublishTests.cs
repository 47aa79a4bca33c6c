using System.Text;
using Broker.Server.Tests.Harness;
using Broker.Transport;

namespace Broker.Server.Tests.Delivery;

/// <summary>
/// Repeated identical publishes are counted exactly, delivered, answered and refused like any others.
/// </summary>
public sealed class RepeatedPublishTests
{
    private const string Short = "a.b";
    private const string Long = "device.north.hall.7.sensor.temperature.celsius";
    private const string Longer = "device.north.hall.7.sensor.temperature.celsius.measured.every.second";

    // No payload, small payloads, and one that is larger than a read.
    private static readonly int[] Sizes = [0, 1, 16, 300, 70_000];

    [Theory]
    [InlineData(1, false)]
    [InlineData(2, false)]
    [InlineData(1, true)]
    public async Task Repeated_publishes_are_counted_exactly_however_they_are_split(int loops, bool portable)
    {
        var random = new Random(Seed.Next());
        await using BrokerServer server = await Servers.StartAsync(
            o => o.LoopOptions = new EventLoopOptions { Loops = loops, ForcePortable = portable });
        // A client that subscribes to another subject.
        using var other = RawClient.Open(server);
        other.Send("SUB heard 1\r\n");
        other.Sync();
        RawClient[] publishers = [.. Enumerable.Range(0, 4).Select(_ => RawClient.Open(server))];
        long[] messages = new long[publishers.Length];
        long[] payload = new long[publishers.Length];
        int heard = 0;
        for (int round = 0; round < 40; round++)
        {
            for (int i = 0; i < publishers.Length; i++)
            {
                string subject = random.Next(8) == 0 ? "heard" : new[] { Short, Long, Longer }[random.Next(3)];
                int size = Sizes[random.Next(subject == "heard" ? 4 : Sizes.Length)];
                int count = size > 1_000 ? 3 : random.Next(1, 200);
                heard += subject == "heard" ? count : 0;
                messages[i] += count;
                payload[i] += (long)count * size;
                byte[] batch = Encoding.ASCII.GetBytes(string.Concat(Enumerable.Repeat($"PUB {subject} {size}\r\n{new string('x', size)}\r\n", count)));
                for (int at = 0; at < batch.Length;)
                {
                    int piece = Math.Min(batch.Length - at, random.Next(2) == 0 ? random.Next(1, 100) : batch.Length);
                    publishers[i].Send(batch.AsSpan(at, piece));
                    at += piece;
                }
            }
        }

        Assert.All(publishers, static p => Assert.Equal("", p.Sync()));
        ServerSnapshot counts = server.Snapshot();
        Assert.Equal(messages.Sum(), counts.MessagesIn);
        await Servers.UntilAsync(() => server.Snapshot().MessagesOut == heard, "all messages to be delivered");
        ConnectionPage page = await server.InspectConnectionsAsync(null, TestContext.Current.CancellationToken);
        ConnectionDescription[] each = [.. page.Connections.Where(static c => c.MessagesIn != 0).OrderBy(static c => c.Id)];
        Assert.Equal(messages, each.Select(static c => c.MessagesIn));
        Assert.Equal(payload, each.Select(static c => c.BytesIn));
        Array.ForEach(publishers, static p => p.Dispose());
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public async Task All_repeated_publishes_after_a_confirmed_subscription_are_delivered(int loops)
    {
        await using BrokerServer server = await Servers.StartAsync(o => o.LoopOptions = new EventLoopOptions { Loops = loops });
        using var publisher = RawClient.Open(server);
        using var subscriber = RawClient.Open(server);
        foreach (string subject in (string[])[Short, Long, Longer])
        {
            string batch = string.Concat(Enumerable.Repeat($"PUB {subject} 1\r\nx\r\n", 500));
            string message = $"MSG {subject} 1 1\r\nx\r\n";
            for (int round = 0; round < 30; round++)
            {
                publisher.Send(batch);
                Assert.Equal("", publisher.Sync());
                subscriber.Send($"SUB {subject} 1\r\n");
                Assert.Equal("", subscriber.Sync());
                publisher.Send(batch);
                string expected = string.Concat(Enumerable.Repeat(message, 500));
                Assert.Equal(expected, subscriber.Sync(expected.Length));
                subscriber.Send("UNSUB 1\r\n");
                Assert.Equal("", subscriber.Sync());
            }
        }
    }

    [Theory]
    [InlineData(Short)]
    [InlineData(Long)]
    [InlineData(Longer)]
    public async Task Each_repeated_publish_is_answered_in_verbose_mode(string subject)
    {
        await using BrokerServer server = await Servers.StartAsync();
        using var verbose = RawClient.Open(server, "CONNECT {\"verbose\":true,\"pedantic\":false}\r\n");
        Assert.Equal("+OK\r\n", verbose.Sync());
        verbose.Send(string.Concat(Enumerable.Repeat($"PUB {subject} 1\r\nx\r\n", 100)));
        Assert.Equal(string.Concat(Enumerable.Repeat("+OK\r\n", 100)), verbose.Sync());
    }

    [Theory]
    [InlineData(Short)]
    [InlineData(Long)]
    [InlineData(Longer)]
    public async Task Each_repeated_publish_to_a_forbidden_subject_is_refused(string subject)
    {
        await using BrokerServer server = await Servers.StartAsync(
            o => o.Authorize = static _ => AuthorizationResult.Allow(new Permissions { Publish = SubjectPermissions.Only("ok") }));
        using var publisher = RawClient.Open(server);
        Assert.Equal("", publisher.Sync());
        publisher.Send(string.Concat(Enumerable.Repeat($"PUB {subject} 1\r\nx\r\n", 100)));
        string refused = $"-ERR 'Permissions Violation for Publish to \"{subject}\"'\r\n";
        Assert.Equal(string.Concat(Enumerable.Repeat(refused, 100)), publisher.Sync());
    }
}
