namespace Broker.Protocol;

/// <summary>
/// Handles the operations that a server sends to a client. Implement it as a struct: the parser is generic in the type
/// of the handler, so its calls are direct.
/// </summary>
/// <remarks>
/// All spans are valid until the method returns. Each method returns whether the parser continues: after false, the
/// parser stops behind this operation.
/// </remarks>
public interface IServerOperationHandler
{
    /// <summary>Handles MSG or HMSG.</summary>
    bool OnMessage(in MessageOperation operation);

    /// <summary>Handles INFO. <paramref name="json"/> is the JSON as the server sent it.</summary>
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
