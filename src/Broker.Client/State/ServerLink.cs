using Broker.Transport;

namespace Broker.Client;

/// <summary>
/// One transport connection to one server, as the parts that write to it see it. Unless a comment says otherwise,
/// members may be read on any thread once the link is the current one.
/// </summary>
internal abstract class ServerLink(ServerAddress address, int maxPayload) : ConnectionHandler
{
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);

    internal ServerAddress Address { get; } = address;

    /// <summary>
    /// The transport connection. It is set before the handshake, so before any thread other than the loop uses it.
    /// </summary>
    internal Connection Transport { get; private protected set; } = null!;

    internal InfoMessage Info { get; private protected set; } = new();

    /// <summary>The largest message that the server accepts, in bytes.</summary>
    internal int MaxPayload { get; private protected set; } = maxPayload;

    internal bool Headers { get; private protected set; }

    /// <summary>
    /// Whether every message that was written to this link has been counted. Used under the connection's gate.
    /// </summary>
    internal bool IsSettled { get; set; }

    /// <summary>Completes when the transport has closed and nobody writes to it any more.</summary>
    internal Task Ended => _ended.Task;

    internal void CompleteEnded() => _ended.TrySetResult();
}
