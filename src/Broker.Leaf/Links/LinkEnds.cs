using Broker.Transport;

namespace Broker.Leaf;

/// <summary>Explains why a connection has ended.</summary>
internal static class LinkEnds
{
    /// <param name="reason">The reason.</param>
    /// <param name="error">The error of the transport; null for none.</param>
    internal static string Explain(CloseReason reason, Exception? error) => reason switch
    {
        CloseReason.Peer => "the remote closed the connection",
        CloseReason.QueueFull or CloseReason.WriteTimeout => "the remote did not accept bytes in time",
        CloseReason.Local => "the link was closed",
        CloseReason.Shutdown => "the event loops were stopped",
        _ => error?.GetBaseException().Message ?? "the transport failed",
    };
}
