using Broker.Client;

namespace Broker.Hosting;

/// <summary>
/// Logs the life of one client of a host, beside whatever callbacks the application has set. Its methods are called on the client's loop, one
/// after the other, but for the last.
/// </summary>
/// <param name="log">Where to.</param>
/// <param name="client">What the log calls it.</param>
/// <param name="state">Tells an end that the host wants from one that nobody expects.</param>
internal sealed class ClientLog(HostingLog log, string client, HostedState state)
{
    // The first failed attempt after a success is told, and the others for whoever looks for a fault.
    private bool _isSearching;

    public ClientOptions Attach(ClientOptions options) => options with
    {
        OnDisconnected = new Action<BrokerConnection, Exception>(OnDisconnected) + options.OnDisconnected,
        OnConnectFailed = new Action<BrokerConnection, Exception>(OnConnectFailed) + options.OnConnectFailed,
        OnReconnected = new Action<BrokerConnection>(OnReconnected) + options.OnReconnected,
        OnClosed = new Action<BrokerConnection>(OnClosed) + options.OnClosed,
        OnLameDuck = new Action<BrokerConnection>(_ => log.ClientSentAway(client)) + options.OnLameDuck,
        OnServerError = new Action<BrokerConnection, string>((_, text) => log.ClientRefused(client, text)) + options.OnServerError,
        OnSlowConsumer = new Action<BrokerConnection, Client.Subscriptions.QueuedSubscription>((_, s) => log.ClientSlow(client, s.Subscription.Filter))
            + options.OnSlowConsumer,
        OnFault = new Action<Client.Subscriptions.Subscription?, Exception>((_, fault) => log.ClientFault(client, fault)) + options.OnFault,
    };

    private void OnDisconnected(BrokerConnection connection, Exception reason)
    {
        _isSearching = false;
        log.ClientLost(client, reason);
    }

    private void OnConnectFailed(BrokerConnection connection, Exception reason)
    {
        if (_isSearching)
        {
            log.ClientStillSearches(client, reason);
        }
        else
        {
            log.ClientFindsNoServer(client, reason);
        }

        _isSearching = true;
    }

    private void OnReconnected(BrokerConnection connection)
    {
        _isSearching = false;
        log.ClientBack(client, connection.Server);
    }

    private void OnClosed(BrokerConnection connection)
    {
        if (!state.IsDraining)
        {
            log.ClientClosed(client);
        }
    }
}
