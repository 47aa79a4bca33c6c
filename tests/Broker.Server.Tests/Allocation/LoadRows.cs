namespace Broker.Server.Tests.Allocation;

/// <summary>The rows of the load test's main table under their names there. The rows over TLS are the same.</summary>
internal static class LoadRows
{
    internal static IReadOnlyList<LoadRow> All { get; } =
    [
        new("pub0", "foo", ""),
        new("pub16", "foo", Letters(16)),
        new("pub128", "foo", Letters(128)),
        new("pub2400", "foo", Letters(2400)),
        new("PubNoPayload", "a", ""),
        new("PubMinPayload", "a", "b"),
        new("PubTinyPayload", "foo", "ok"),
        new("PubSmallPayload", "foo", "hello world"),
        new("PubMedPayload", "foo", "The quick brown fox jumps over the lazy dog"),
        new("PubLargePayload", "foo", string.Concat(Enumerable.Repeat("hello world ", 200))),
        new("PubSub", "foo", "ok") { Own = 1 },
        new("PubSubTwoConns", "foo", "ok") { Readers = 1 },
        new("PubTwoQueueSub", "foo", "ok") { Own = 2, Queue = "workers" },
        new("PubFourQueueSub", "foo", "ok") { Own = 4, Queue = "workers" },
        new("pubsub16", "foo", Letters(16)) { Own = 1 },
        new("twoconns16", "foo", Letters(16)) { Readers = 1 },
        new("fanout4", "foo", Letters(16)) { Readers = 4 },
        new("fanout20", "foo", Letters(16)) { Readers = 20 },
        new("fanout100", "foo", Letters(16)) { Readers = 100 },
        new("fanin50", "foo", Letters(16)) { Publishers = 50, Readers = 1 },
        new("fanin100", "foo", Letters(16)) { Publishers = 100, Readers = 1 },
        new("queue2", "foo", Letters(16)) { Readers = 2, Queue = "workers" },
        new("queue4", "foo", Letters(16)) { Readers = 4, Queue = "workers" },
        new("request16", "svc", Letters(16)) { Readers = 1, Requests = true },
    ];

    internal static LoadRow Of(string name) => All.First(row => row.Name == name);

    private static string Letters(int count) => new('x', count);
}
