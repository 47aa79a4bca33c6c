namespace Broker.Protocol.Parsing;

/// <summary>
/// What a server does with what a client sends. Implement it as a struct: the parser is generic over it, and its calls
/// are then direct. All spans are borrowed until the return. Each call says whether to go on: false ends the parse
/// after this operation.
/// </summary>
public interface IClientOperationHandler
{
    /// <summary>PUB or HPUB.</summary>
    bool OnPublish(scoped PublishOperation operation);

    /// <summary>
    /// Whether publishes that repeat the line of the one before, without reply and headers, need not be told one by one, since they only have
    /// to be counted: asked at the first of those that follow each other.
    /// </summary>
    bool OnlyCountsRepeats { get; }

    /// <summary>So many publishes as the one before, where <see cref="OnlyCountsRepeats"/> said so.</summary>
    /// <param name="count">How many, at least one.</param>
    /// <param name="size">How long the payload of each is, in bytes.</param>
    void OnRepeats(int count, int size);

    /// <summary>SUB. <paramref name="queue"/> is empty for a plain subscription.</summary>
    bool OnSubscribe(ReadOnlySpan<byte> subject, ReadOnlySpan<byte> queue, ReadOnlySpan<byte> sid);

    /// <summary>UNSUB. <paramref name="max"/> is 0 for "at once", which what is no number counts as.</summary>
    bool OnUnsubscribe(ReadOnlySpan<byte> sid, int max);

    /// <summary>CONNECT, with the JSON as sent.</summary>
    bool OnConnect(ReadOnlySpan<byte> json);

    /// <summary>PING.</summary>
    bool OnPing();

    /// <summary>PONG.</summary>
    bool OnPong();

    /// <summary><c>+OK</c>, whatever follows it on the line. Only servers say it, but nats-server hears it from clients too.</summary>
    bool OnOk();

    /// <summary>INFO, with what stands for its JSON. Only servers say it, but nats-server hears it from clients too.</summary>
    bool OnInfo(ReadOnlySpan<byte> json);

    /// <summary><c>-ERR</c>, with its text as sent, quotes and all. Only servers say it, but nats-server hears it from clients too.</summary>
    bool OnError(ReadOnlySpan<byte> text);
}
