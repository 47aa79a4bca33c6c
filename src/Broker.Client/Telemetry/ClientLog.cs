using Microsoft.Extensions.Logging;

namespace Broker.Client;

/// <summary>
/// Logs the events of one connection, in addition to the callbacks that its owner has set. Unless a comment says
/// otherwise, its methods are called on the connection's loop, one at a time. Event ids never change, and the id of a
/// removed event is not reused.
/// </summary>
internal sealed partial class ClientLog
{
    internal const string Category = "Broker.Client";

    private readonly ILogger _logger;
    private readonly string _client;

    // The first failed attempt after a success is logged as a warning. Later failed attempts are logged at the debug
    // level.
    private bool _isSearching;

    private ClientLog(ILogger logger, string? client) => (_logger, _client) = (logger, client ?? "(default)");

    /// <summary>Returns the options with the log's callbacks added if there is a logger factory.</summary>
    internal static ClientOptions Attach(ClientOptions options)
        => options.LoggerFactory is { } loggers ? new ClientLog(loggers.CreateLogger(Category), options.Name).AttachTo(options) : options;

    private ClientOptions AttachTo(ClientOptions options) => options with
    {
        OnDisconnected = new Action<BrokerConnection, Exception>(OnDisconnected) + options.OnDisconnected,
        OnConnectFailed = new Action<BrokerConnection, Exception>(OnConnectFailed) + options.OnConnectFailed,
        OnReconnected = new Action<BrokerConnection>(OnReconnected) + options.OnReconnected,
        OnLameDuck = new Action<BrokerConnection>(_ => SentAway(_client)) + options.OnLameDuck,
        OnServerError = new Action<BrokerConnection, string>((_, text) => Refused(_client, text)) + options.OnServerError,
        OnSlowConsumer = new Action<BrokerConnection, QueuedSubscription>((_, slow) => Slow(_client, slow.Subscription.Filter)) + options.OnSlowConsumer,
        Log = this,
    };

    /// <summary>Logs that a handler or a callback has thrown. May be called on any thread.</summary>
    internal void Fault(Exception fault) => Fault(_client, fault);

    /// <summary>Logs that the connection gives up. May be called on any thread.</summary>
    internal void GivenUp(Exception cause) => GivenUp(_client, cause);

    /// <summary>Logs that requests end because the loop does not run. Called on a thread-pool thread.</summary>
    internal void LoopBlocked() => LoopBlocked(_client);

    /// <summary>Logs that a buffered message was refused.</summary>
    internal void RefusedByNext(PublishRefusedException refusal) => RefusedByNext(_client, refusal);

    private void OnDisconnected(BrokerConnection connection, Exception reason)
    {
        _isSearching = false;
        Lost(_client, reason);
    }

    private void OnConnectFailed(BrokerConnection connection, Exception reason)
    {
        if (_isSearching)
        {
            StillSearches(_client, reason);
        }
        else
        {
            FindsNoServer(_client, reason);
        }

        _isSearching = true;
    }

    private void OnReconnected(BrokerConnection connection)
    {
        _isSearching = false;
        Back(_client, connection.Server);
    }

    [LoggerMessage(1, LogLevel.Warning, "Client {Client}: the server was lost")]
    private partial void Lost(string client, Exception reason);

    [LoggerMessage(2, LogLevel.Information, "Client {Client}: reconnected to {Server}")]
    private partial void Back(string client, string? server);

    [LoggerMessage(3, LogLevel.Warning, "Client {Client}: the server sent the error {Text}")]
    private partial void Refused(string client, string text);

    [LoggerMessage(4, LogLevel.Warning, "Client {Client}: the subscription to {Filter} loses messages because it is read too slowly")]
    private partial void Slow(string client, string filter);

    [LoggerMessage(5, LogLevel.Error, "Client {Client}: a handler threw an exception")]
    private partial void Fault(string client, Exception fault);

    [LoggerMessage(6, LogLevel.Warning, "Client {Client}: no server can be reached, and the client keeps trying")]
    private partial void FindsNoServer(string client, Exception reason);

    [LoggerMessage(7, LogLevel.Debug, "Client {Client}: still no server can be reached")]
    private partial void StillSearches(string client, Exception reason);

    [LoggerMessage(8, LogLevel.Information, "Client {Client}: the server will shut down and asks its clients to reconnect elsewhere")]
    private partial void SentAway(string client);

    [LoggerMessage(9, LogLevel.Error, "Client {Client}: the client has given up reconnecting and closes")]
    private partial void GivenUp(string client, Exception reason);

    [LoggerMessage(10, LogLevel.Error, "Client {Client}: a message was buffered that the next server does not accept, and it is lost")]
    private partial void RefusedByNext(string client, Exception reason);

    [LoggerMessage(11, LogLevel.Error, "Client {Client}: a handler blocks the event loop, so requests cannot receive their replies")]
    private partial void LoopBlocked(string client);
}
