namespace Broker.Protocol.Tests.Support;

/// <summary>Writes down what a client sent but for its payloads, so that counts of publishes that repeat a line say as much as each of them.</summary>
internal struct ClientCounter(List<string> events, bool onlyCounts) : IClientOperationHandler
{
    private string? _last;

    /// <summary>How many publishes were counted.</summary>
    internal int Counted { get; private set; }

    public readonly bool OnlyCountsRepeats => onlyCounts;

    public bool OnPublish(scoped PublishOperation operation)
    {
        _last = $"PUB [{Text.Of(operation.Subject)}] [{Text.Of(operation.ReplyTo)}] {operation.HeaderLength} {operation.Payload.Length}";
        return Add(_last);
    }

    public void OnRepeats(int count, int size)
    {
        Assert.True(onlyCounts && count > 0);
        Assert.EndsWith($" [] -1 {size}", _last, StringComparison.Ordinal);
        Counted += count;
        for (int i = 0; i < count; i++)
        {
            Add(_last!);
        }
    }

    public readonly bool OnSubscribe(ReadOnlySpan<byte> subject, ReadOnlySpan<byte> queue, ReadOnlySpan<byte> sid) => Add("SUB");

    public readonly bool OnUnsubscribe(ReadOnlySpan<byte> sid, int max) => Add("UNSUB");

    public readonly bool OnConnect(ReadOnlySpan<byte> json) => Add("CONNECT");

    public readonly bool OnPing() => Add("PING");

    public readonly bool OnPong() => Add("PONG");

    public readonly bool OnOk() => Add("+OK");

    public readonly bool OnInfo(ReadOnlySpan<byte> json) => Add("INFO");

    public readonly bool OnError(ReadOnlySpan<byte> text) => Add("-ERR");

    private readonly bool Add(string line)
    {
        events.Add(line);
        return true;
    }
}
