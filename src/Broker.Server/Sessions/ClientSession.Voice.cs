using Broker.Server.Accounts;
using Broker.Server.Monitoring;
using Broker.Transport;

namespace Broker.Server.Sessions;

// A session without a client, by which the server itself publishes: what it says goes the ways that clients' messages go.
internal sealed partial class ClientSession
{
    private ClientSession(ServerCore server, EventLoop loop)
    {
        _server = server;
        _loop = loop;
        _state = server.StateOf(loop);
        _account = server.Accounts.Global;
        Transport = ClientTransport.InProcess;
    }

    /// <summary>The server's own session on a loop. It has no connection, no number, and counts nowhere.</summary>
    internal static ClientSession VoiceOf(ServerCore server, EventLoop loop) => new(server, loop);

    /// <summary>Publishes as the server. On the loop.</summary>
    internal void Speak(Account account, ReadOnlySpan<byte> subject, ReadOnlySpan<byte> payload)
    {
        _account = account;
        DeliverInto(new Message(subject, default, -1, payload), account.Router.Find(subject));
    }
}
