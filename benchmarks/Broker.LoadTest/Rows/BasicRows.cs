using System.Text;
using Broker.LoadTest.Driver;

namespace Broker.LoadTest.Rows;

/// <summary>The rows of the main table, in its order.</summary>
internal static class BasicRows
{
    public static IReadOnlyList<Row> Create() =>
    [
        PublishOfSize(0),
        PublishOfSize(16),
        PublishOfSize(128),
        PublishOfSize(2400),

        // The ten rows of "Early results from a high-performance NATS server" (2012), with the same subjects and
        // payloads.
        PublishOfText("PubNoPayload", "a", ""),
        PublishOfText("PubMinPayload", "a", "b"),
        PublishOfText("PubTinyPayload", "foo", "ok"),
        PublishOfText("PubSmallPayload", "foo", "hello world"),
        PublishOfText("PubMedPayload", "foo", "The quick brown fox jumps over the lazy dog"),
        PublishOfText("PubLargePayload", "foo", string.Concat(Enumerable.Repeat("hello world ", 200))),
        new OneConnection("PubSub", "one connection publishes and receives, 2 B", Text("ok")),
        new FanOut("PubSubTwoConns", "publisher and reader on two connections, 2 B", 1, Text("ok")),
        new OneConnection("PubTwoQueueSub", "one connection, queue of 2 on itself, 2 B", Text("ok"), members: 2),
        new OneConnection("PubFourQueueSub", "one connection, queue of 4 on itself, 2 B", Text("ok"), members: 4),

        new OneConnection("pubsub16", "one connection publishes and receives, 16 B", Payloads.Pattern(16)),
        new FanOut("twoconns16", "publisher and reader on two connections, 16 B", 1, Payloads.Pattern(16)),
        new FanOut("fanout4", 4, 16),
        new FanOut("fanout20", 20, 16),
        new FanOut("fanout100", 100, 16),
        new FanIn("fanin50", 50, 16),
        new FanIn("fanin100", 100, 16),
        new QueueGroup("queue2", 2, 16),
        new QueueGroup("queue4", 4, 16),
        new RequestReply("request16", 16),
    ];

    private static PublishOnly PublishOfSize(int size) => new($"pub{size}", $"publish only, {size} B", "foo", Payloads.Pattern(size));

    private static PublishOnly PublishOfText(string name, string subject, string text)
        => new(name, $"publish only to {subject}, {text.Length} B", subject, Text(text));

    private static byte[] Text(string text) => Encoding.ASCII.GetBytes(text);
}
