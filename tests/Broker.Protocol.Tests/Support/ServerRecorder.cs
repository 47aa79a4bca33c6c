namespace Broker.Protocol.Tests.Support;

/// <summary>Records the operations of a server, and checks the rules for every operation.</summary>
internal struct ServerRecorder(List<string> events) : IServerOperationHandler
{
    private string? _lastLine;

    /// <summary>The number of messages that reported a repeated line.</summary>
    internal int Repeats { get; private set; }

    public bool OnMessage(in MessageOperation operation)
    {
        Assert.Equal(
            Text.Of(operation.Payload), Text.Of(operation.Headers) + Text.Of(operation.Body));
        string line = $"[{Text.Of(operation.Subject)}] {operation.Sid} [{Text.Of(operation.ReplyTo)}] "
            + $"{operation.HeaderLength} {operation.Payload.Length}";
        if (operation.RepeatsLine)
        {
            Assert.Equal(_lastLine, line);
            Repeats++;
        }

        _lastLine = line;
        return Add($"MSG {line} [{Text.Of(operation.Payload)}]");
    }

    public readonly bool OnInfo(ReadOnlySpan<byte> json) => Add($"INFO [{Text.Of(json)}]");

    public readonly bool OnPing() => Add("PING");

    public readonly bool OnPong() => Add("PONG");

    public readonly bool OnOk() => Add("+OK");

    public readonly bool OnError(ReadOnlySpan<byte> text) => Add($"-ERR [{Text.Of(text)}]");

    private readonly bool Add(string line)
    {
        events.Add(line);
        return true;
    }
}
