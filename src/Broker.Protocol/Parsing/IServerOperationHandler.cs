namespace Broker.Protocol.Parsing;

/// <summary>
/// What a client does with what a server sends. Implement it as a struct: the parser is generic over it, and its calls
/// are then direct. All spans are borrowed until the return. Each call says whether to go on: false ends the parse
/// after this operation.
/// </summary>
public interface IServerOperationHandler
{
    /// <summary>MSG or HMSG.</summary>
    bool OnMessage(in MessageOperation operation);

    /// <summary>INFO, with the JSON as sent.</summary>
    bool OnInfo(ReadOnlySpan<byte> json);

    /// <summary>PING.</summary>
    bool OnPing();

    /// <summary>PONG.</summary>
    bool OnPong();

    /// <summary>+OK.</summary>
    bool OnOk();

    /// <summary>-ERR, with the text between the quotes.</summary>
    bool OnError(ReadOnlySpan<byte> text);
}
