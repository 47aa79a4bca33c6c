using Broker.Server.Accounts;
using Broker.Transport;

namespace Broker.Server.Sessions;

/// <summary>What sessions tell of clients that come and go.</summary>
internal interface ISessionEvents
{
    /// <summary>A client has been let in. On its loop.</summary>
    void Connected(ClientSession session);

    /// <summary>A client that was in has gone. On its loop.</summary>
    void Disconnected(ClientSession session, string reason);

    /// <summary>Somebody was not let in. On its loop.</summary>
    void Unauthorized(ClientSession session, ConnectRequest? request, string reason);

    /// <summary>A client has come to an account or left it. On a loop.</summary>
    void ConnectionsChanged(EventLoop loop, Account account);
}
