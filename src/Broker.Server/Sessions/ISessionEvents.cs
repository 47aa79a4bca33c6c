using Broker.Transport;

namespace Broker.Server;

/// <summary>Receives the events of client sessions.</summary>
internal interface ISessionEvents
{
    /// <summary>Called when a client has been authenticated for the first time. Runs on the client's loop.</summary>
    void Connected(ClientSession session);

    /// <summary>
    /// Called when the connection of an authenticated client has been closed. Runs on the client's loop.
    /// </summary>
    void Disconnected(ClientSession session, string reason);

    /// <summary>
    /// Called when the authentication of a client has failed or timed out. Runs on the client's loop.
    /// </summary>
    void Unauthorized(ClientSession session, ConnectRequest? request, string reason);

    /// <summary>Called when a client has entered or left an account. Runs on the given loop.</summary>
    void ConnectionsChanged(EventLoop loop, Account account);
}
