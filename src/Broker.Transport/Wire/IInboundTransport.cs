namespace Broker.Transport;

/// <summary>
/// The operations of a transport that a connection needs to receive, to start TLS and to close. Sockets, pipes and
/// in-process links implement these operations. They are called on the connection's loop.
/// </summary>
internal interface IInboundTransport
{
    /// <summary>Whether the transport carries bytes out of the process. Only such bytes can be encrypted.</summary>
    bool CanCarryLayers => false;

    /// <summary>Starts to receive. Called once, after the handler's OnOpened.</summary>
    void StartReceiving();

    /// <summary>Delivers the unconsumed bytes, then continues to receive. Called while no pause is active.</summary>
    void ContinueReceiving();

    /// <summary>Reports readable bytes again, if the transport had stopped reporting them.</summary>
    void RearmReceive();

    /// <summary>
    /// Called when the handler has paused. A transport may have to ask for a report of the stream's end.
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

    /// <summary>
    /// Passes the received, unconsumed bytes to the layer. May be called during a call of the handler.
    /// </summary>
    void OnLayerInserted()
    {
    }

    /// <summary>Decrypts and delivers the bytes that were received before the layer was ready.</summary>
    void OnLayerSecured(SecurityLayer layer)
    {
    }

    /// <summary>Called when the TLS handshake has used all received bytes.</summary>
    void OnTlsStarved()
    {
    }

    /// <summary>Whether bytes of the peer can be received now. True if the transport cannot find out.</summary>
    bool HasUnread() => true;

    /// <summary>
    /// Whether the peer's system may not have acknowledged all sent bytes. True if the transport cannot find out.
    /// </summary>
    bool HasUnacknowledged() => true;

    /// <summary>Ends this side's direction of the stream.</summary>
    void ShutdownSend();

    /// <summary>
    /// Releases the operating system's resources. Called once, when no send is running. Only an asynchronous send of
    /// the transport may still wait. After the end of the loop, this is called on the thread that sent last.
    /// </summary>
    void ReleaseTransport();
}
