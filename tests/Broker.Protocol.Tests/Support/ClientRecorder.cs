namespace Broker.Protocol.Tests.Support;

/// <summary>Records the operations of a client, and checks the rules for every operation.</summary>
internal struct ClientRecorder(List<string> events) : IClientOperationHandler
{
    private string? _lastSubject;

    /// <summary>The number of publishes that reported a repeated subject.</summary>
    internal int Repeats { get; private set; }

    public bool OnPublish(scoped PublishOperation operation)
    {
        string subject = Text.Of(operation.Subject);
        string replyTo = Text.Of(operation.ReplyTo);
        string payload = Text.Of(operation.Payload);
        Assert.NotEqual("", subject);
        Assert.Equal(operation.HeaderLength > 0, operation.HasHeaders);
        Assert.InRange(operation.HeaderLength, -1, payload.Length);
        if (operation.RepeatsSubject)
        {
            Assert.Equal(_lastSubject, subject);
            Repeats++;
        }

        string tail = (replyTo.Length > 0 ? " " + replyTo : "")
            + (operation.HasHeaders ? " " + operation.HeaderLength : "") + " " + payload.Length + "\r\n" + payload + "\r\n";
        if (!operation.Tail.IsEmpty)
        {
            Assert.Equal(tail, Text.Of(operation.Tail));
        }

        _lastSubject = subject;
        events.Add($"{(operation.HasHeaders ? "HPUB" : "PUB")} [{subject}]{tail} as it is: {!operation.Tail.IsEmpty}");
        return true;
    }

    public readonly bool OnSubscribe(ReadOnlySpan<byte> subject, ReadOnlySpan<byte> queue, ReadOnlySpan<byte> sid)
        => Add($"SUB [{Text.Of(subject)}] [{Text.Of(queue)}] [{Text.Of(sid)}]");

    public readonly bool OnUnsubscribe(ReadOnlySpan<byte> sid, int max) => Add($"UNSUB [{Text.Of(sid)}] {max}");

    public readonly bool OnConnect(ReadOnlySpan<byte> json) => Add($"CONNECT [{Text.Of(json)}]");

    public readonly bool OnPing() => Add("PING");

    public readonly bool OnPong() => Add("PONG");

    public readonly bool OnOk() => Add("+OK");

    public readonly bool OnInfo(ReadOnlySpan<byte> json) => Add($"INFO [{Text.Of(json)}]");

    public readonly bool OnError(ReadOnlySpan<byte> text) => Add($"-ERR [{Text.Of(text)}]");

    private readonly bool Add(string line)
    {
        events.Add(line);
        return true;
    }
}
