using System.Net;
using System.Text;
using Broker.Protocol;
using Broker.Protocol.Writing;
using Broker.Server.Delivery;
using Broker.Server.Monitoring;
using Broker.Server.Tracing;
using Broker.Transport;

namespace Broker.Server.Sessions;

/// <summary>
/// The way to one client: what answers it and what ends it. It is all that the parts of a <see cref="ClientSession"/> know of each
/// other, so that none of them needs the session. On the connection's loop unless said otherwise.
/// </summary>
internal sealed class ClientChannel
{
    internal static readonly TimeSpan LastWords = TimeSpan.FromSeconds(2);

    // What it costs to make and tell of an error, in places looked at.
    private const int StepsOfError = 32;

    /// <param name="server">What it shares with the others.</param>
    /// <param name="publisher">By which the client publishes; its work is counted there.</param>
    /// <param name="target">What is delivered to the client.</param>
    /// <param name="remote">Where the client is; null in this process.</param>
    internal ClientChannel(ServerCore server, Publisher publisher, ConnectionTarget target, EndPoint? remote)
    {
        Server = server;
        Publisher = publisher;
        Target = target;
        RemoteEndPoint = remote;
        Id = server.NextClientId();
    }

    internal ServerCore Server { get; }

    internal Publisher Publisher { get; }

    internal ConnectionTarget Target { get; }

    internal ulong Id { get; }

    internal EndPoint? RemoteEndPoint { get; }

    internal EventLoop Loop => Publisher.Loop;

    /// <summary>Null until it is opened; then for good.</summary>
    internal Connection Connection => Target.Connection;

    /// <summary>The protocol in the log; null where it is not wanted.</summary>
    internal ProtocolTrace? Trace { get; set; }

    /// <summary>Whether each operation is acknowledged. So it is of a client that has not said CONNECT, as nats-server does it.</summary>
    internal bool IsVerbose { get; set; } = true;

    /// <summary>Whether this side has ended it: nothing that it sends is looked at any more.</summary>
    internal bool IsEnded { get; private set; }

    /// <summary>What the client was told last, when this side ended the connection for a reason. Any thread.</summary>
    internal string? Failure { get; private set; }

    /// <summary>Why the server ends it; null while it does not. Written before the connection is closed. Any thread.</summary>
    internal string? EndedFor => !IsEnded ? null : Failure is null ? "Server Shutdown" : CloseText.OfFailure(Failure);

    /// <summary>Writes what answers the client, behind all that it has published and may be sent itself.</summary>
    internal void Write(ReadOnlySpan<byte> bytes)
    {
        Publisher.EndRun();
        Connection.GetWriteBuffer(Loop).Write(bytes);
    }

    internal void WriteError(string text)
    {
        Publisher.EndRun();
        Publisher.Spend(StepsOfError);
        Trace?.Out("-ERR " + text);
        LoopWriteBuffer stage = Connection.GetWriteBuffer(Loop);
        int most = Encoding.UTF8.GetMaxByteCount(text.Length) + OperationWriter.LineOverhead;
        Span<byte> utf8 = stackalloc byte[most];
        int length = Encoding.UTF8.GetBytes(text, utf8);
        stage.Advance(OperationWriter.Error(stage.GetSpan(most), utf8[..length]));
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

    /// <summary>Tells the client why and ends the connection.</summary>
    internal void Fail(string text)
    {
        if (!IsEnded)
        {
            IsEnded = true;
            Failure = text;
            WriteError(text);
            Connection.Close(LastWords);
        }
    }

    /// <summary>As <see cref="Fail(string)"/>, for what breaks the protocol: the log has it too.</summary>
    /// <param name="text">What the client is told.</param>
    /// <param name="detail">What the log says; null for the same.</param>
    internal void FailProtocol(string text, string? detail = null)
    {
        Server.Log.ProtocolError(Id, RemoteEndPoint, detail ?? text);
        Fail(text);
    }

    /// <inheritdoc cref="FailProtocol(string, string)"/>
    internal void FailProtocol(ProtocolError error) => FailProtocol(ProtocolErrorText.For(error));

    /// <summary>Ends the connection without a word; what it was told before is still sent, up to <paramref name="linger"/>.</summary>
    internal void FailSilently(string text, TimeSpan linger = default)
    {
        if (!IsEnded)
        {
            IsEnded = true;
            Failure = text;
            Connection.Close(linger);
        }
    }

    /// <summary>The connection has failed by itself, in a way that has a name.</summary>
    internal void HasFailed(string text) => Failure ??= text;

    /// <summary>Ends the connection once what is queued has been taken, at the latest after <paramref name="linger"/>. Any thread.</summary>
    internal void Leave(TimeSpan linger) => Loop.Run(() =>
    {
        IsEnded = true;
        Connection?.Close(linger);
    });
}
