namespace Broker.Protocol;

/// <summary>
/// Handles the operations that a server sends to a client. Implement it as a struct: the parser is generic over it, so
/// its calls are direct.
/// </summary>
/// <remarks>
/// All spans are valid until the method returns. Each method returns whether the parser continues: false ends the parse
/// after this operation.
/// </remarks>
public interface IServerOperationHandler
{
    /// <summary>Handles MSG or HMSG.</summary>
    bool OnMessage(in MessageOperation operation);

    /// <summary>Handles INFO. <paramref name="json"/> is the JSON as sent.</summary>
    bool OnInfo(ReadOnlySpan<byte> json);

    /// <summary>Handles PING.</summary>
    bool OnPing();

    /// <summary>Handles PONG.</summary>
    bool OnPong();

    /// <summary>Handles +OK.</summary>
    bool OnOk();

    /// <summary>Handles -ERR. <paramref name="text"/> is the text between the quotes.</summary>
    bool OnError(ReadOnlySpan<byte> text);
}
