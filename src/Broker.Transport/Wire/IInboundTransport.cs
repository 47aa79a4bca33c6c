namespace Broker.Transport;

/// <summary>
/// The operations of a transport that the parts of a connection need to receive, to start TLS and to close. A socket, a
/// pipe and an in-process peer implement them. They are called on the connection's loop.
/// </summary>
internal interface IInboundTransport
{
    /// <summary>Whether the transport carries bytes out of the process, so that they can be encrypted.</summary>
    bool CanCarryLayers => false;

    /// <summary>Starts to receive. Called once, after the handler's OnOpened.</summary>
    void StartReceiving();

    /// <summary>
    /// Delivers the unconsumed bytes, then continues to receive. Called while no pause is in force.
    /// </summary>
    void ContinueReceiving();

    /// <summary>Reports readable bytes again, if the transport had stopped to report them.</summary>
    void RearmReceive();

    /// <summary>
    /// The handler has paused: for transports that must ask for a report of the stream's end.
    /// </summary>
    void OnPaused()
    {
    }

    /// <summary>
    /// Stops receiving after the end of the peer's stream. Called under the lock of the outbound queue.
    /// </summary>
    void StopReceiving();

    /// <summary>Returns inbound buffers and stops all reading. Called once.</summary>
    void ReleaseInbound();

    /// <summary>Passes the received, unconsumed bytes to the layer. Possibly in a call of the handler.</summary>
    void OnLayerInserted()
    {
    }

    /// <summary>Decrypts and delivers the bytes that were received before the layer was ready.</summary>
    void OnLayerSecured(SecurityLayer layer)
    {
    }

    /// <summary>The TLS handshake has used all received bytes.</summary>
    void OnTlsStarved()
    {
    }

    /// <summary>
    /// Whether bytes of the peer are ready to be received; true if the transport cannot find out.
    /// </summary>
    bool HasUnread() => true;

    /// <summary>
    /// Whether the peer's system may not have acknowledged everything that was sent; true if the transport cannot find
    /// out.
    /// </summary>
    bool HasUnacknowledged() => true;

    /// <summary>Ends this side's direction of the stream.</summary>
    void ShutdownSend();

    /// <summary>
    /// Releases the operating system's resources. Called once, when no send is running except one that waits
    /// asynchronously in the transport. After the end of the loop it is called on the thread that sent last.
    /// </summary>
    void ReleaseTransport();
}
