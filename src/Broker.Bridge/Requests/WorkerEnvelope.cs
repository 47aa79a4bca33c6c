namespace Broker.Bridge;

/// <summary>The frames that a worker route puts before a request, and how it recognizes the reply.</summary>
public enum WorkerEnvelope
{
    /// <summary>
    /// <c>[8-byte number][empty]</c>, for REP workers and for ROUTER and DEALER programs that echo the envelope. A
    /// worker may have many requests at a time.
    /// </summary>
    Number,

    /// <summary>
    /// <c>[empty]</c>, as a REQ socket sends, for brokers that expect clients with REQ sockets. A connection has one
    /// request at a time, and what it receives next is the reply. If the reply is not there in time, the connection is
    /// closed and opened again, so that a late reply is not taken for the next one.
    /// </summary>
    Empty,

    /// <summary>
    /// <c>[empty][16 hexadecimal digits][empty]</c>, for workers with REQ sockets, which ask for each request: by a
    /// first message such as <c>READY</c>, then by each reply. The route has a ROUTER socket.
    /// </summary>
    Ready,
}
