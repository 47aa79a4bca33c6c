using System.Net;
using System.Text;
using Broker.Protocol;
using Broker.Transport;

namespace Broker.Server;

/// <summary>
/// Sends replies and errors to one client and closes its connection. The parts of a <see cref="ClientSession"/> share
/// this object and know nothing else of each other. Runs on the connection's loop unless a member states otherwise.
/// </summary>
internal sealed class ClientChannel
{
    internal static readonly TimeSpan CloseLinger = TimeSpan.FromSeconds(2);

    // The time in which a client can read the error before the connection is closed. A client that still writes after
    // this time receives a reset. On some systems, a reset discards received bytes that the client has not read yet.
    private static readonly TimeSpan ErrorGrace = TimeSpan.FromMilliseconds(100);

    // The work that is charged for an error message, in visited router entries.
    private const int WorkOfError = 32;

    /// <param name="server">The state that all sessions of the server share.</param>
    /// <param name="publisher">The client's publisher, which also counts the client's work.</param>
    /// <param name="target">The target of messages for the client.</param>
    /// <param name="remote">The client's address; null for an in-process client.</param>
    internal ClientChannel(ServerCore server, RoutingPublisher publisher, ConnectionTarget target, EndPoint? remote)
    {
        Server = server;
        Publisher = publisher;
        Target = target;
        RemoteEndPoint = remote;
        Id = server.NextClientId();
    }

    internal ServerCore Server { get; }

    internal RoutingPublisher Publisher { get; }

    internal ConnectionTarget Target { get; }

    internal ulong Id { get; }

    internal EndPoint? RemoteEndPoint { get; }

    internal EventLoop Loop => Publisher.Loop;

    /// <summary>The connection. It is null until the connection is opened, and never changes afterwards.</summary>
    internal Connection Connection => Target.Connection;

    /// <summary>The trace of the client's protocol operations; null if the client is not traced.</summary>
    internal ProtocolTrace? Trace { get; set; }

    /// <summary>
    /// Whether the server acknowledges each operation with <c>+OK</c>. As in nats-server, the server acknowledges until
    /// CONNECT disables this mode.
    /// </summary>
    internal bool IsVerbose { get; set; } = true;

    /// <summary>
    /// Whether the server has ended the connection. The server then ignores everything that the client sends.
    /// </summary>
    internal bool IsEnded { get; private set; }

    /// <summary>
    /// Whether the parser may continue with the next operation in this iteration of the loop: the connection has not
    /// been ended, and the work budget is not used up.
    /// </summary>
    internal bool MayContinue => !IsEnded && !Publisher.IsOverBudget;

    /// <summary>
    /// The error text with which the server ended the connection; null if it ended the connection without an error, or
    /// has not ended it. Thread-safe.
    /// </summary>
    internal string? Failure { get; private set; }

    /// <summary>
    /// The reason why the server ended the connection; null if the server did not end the connection. The value is set
    /// before the connection is closed. Thread-safe.
    /// </summary>
    internal string? Reason => !IsEnded ? null : Failure is null ? "Server Shutdown" : CloseText.OfFailure(Failure);

    /// <summary>
    /// Writes a reply to the client. If the client has published messages to its own subscriptions, these messages are
    /// written before the reply.
    /// </summary>
    internal void Write(ReadOnlySpan<byte> bytes)
    {
        Publisher.EndBatch();
        Connection.GetWriteBuffer(Loop).Write(bytes);
    }

    internal void WriteError(string text)
    {
        Publisher.EndBatch();
        Publisher.ChargeWork(WorkOfError);
        Trace?.Out("-ERR " + text);
        LoopWriteBuffer buffer = Connection.GetWriteBuffer(Loop);
        int most = Encoding.UTF8.GetMaxByteCount(text.Length) + OperationWriter.LineOverhead;
        Span<byte> utf8 = stackalloc byte[most];
        int length = Encoding.UTF8.GetBytes(text, utf8);
        buffer.Advance(OperationWriter.Error(buffer.GetSpan(most), utf8[..length]));
    }

    internal void Acknowledge()
    {
        if (IsVerbose)
        {
            Trace?.Out("OK");
            Write("+OK\r\n"u8);
        }
    }

    internal void Pong()
    {
        Trace?.Out("PONG");
        Write("PONG\r\n"u8);
    }

    /// <summary>Sends an error to the client and closes the connection.</summary>
    internal void Fail(string text)
    {
        if (!IsEnded)
        {
            IsEnded = true;
            Failure = text;
            WriteError(text);
            Connection.Close(CloseLinger);
            Loop.StartTimer(ErrorGrace, EndLinger);
        }
    }

    // A client that only writes does not notice the end of the stream. The closed connection lets its next write fail,
    // as with nats-server, which closes at once.
    private void EndLinger()
    {
        if (Connection.PendingBytes == 0)
        {
            Connection.Close();
        }
        else
        {
            Loop.StartTimer(ErrorGrace, EndLinger);
        }
    }

    /// <summary>Logs a protocol error, sends it to the client and closes the connection.</summary>
    /// <param name="text">The error text for the client.</param>
    /// <param name="detail">The text for the log; null for the same text.</param>
    internal void FailProtocol(string text, string? detail = null)
    {
        Server.Log.ProtocolError(Id, RemoteEndPoint, detail ?? text);
        Fail(text);
    }

    /// <inheritdoc cref="FailProtocol(string, string)"/>
    internal void FailProtocol(ProtocolError error) => FailProtocol(ProtocolErrorText.For(error));

    /// <summary>
    /// Closes the connection without an error message. The server still sends bytes that are already queued, for up to
    /// <paramref name="linger"/>.
    /// </summary>
    internal void CloseSilently(string text, TimeSpan linger = default)
    {
        if (!IsEnded)
        {
            IsEnded = true;
            Failure = text;
            Connection.Close(linger);
        }
    }

    /// <summary>Stores the reason of a failure that the connection itself has detected.</summary>
    internal void SetFailure(string text) => Failure ??= text;

    /// <summary>
    /// Closes the connection when the queued bytes have been sent, at the latest after <paramref name="linger"/>.
    /// Thread-safe.
    /// </summary>
    internal void Close(TimeSpan linger) => Loop.Run(() =>
    {
        IsEnded = true;
        Connection?.Close(linger);
    });
}
