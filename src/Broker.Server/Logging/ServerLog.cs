using System.Net;
using Broker.Transport;
using Microsoft.Extensions.Logging;

namespace Broker.Server;

/// <summary>
/// The log messages of the server. In texts that come from a client, a question mark replaces each character that
/// breaks a line or changes the text direction.
/// </summary>
internal sealed partial class ServerLog(ILogger logger)
{
    private readonly ILogger _logger = logger;

    internal bool IsTrace => _logger.IsEnabled(LogLevel.Trace);

    internal bool IsDebug => _logger.IsEnabled(LogLevel.Debug);

    /// <summary>Creates a trace of the protocol operations between the server and one client.</summary>
    internal ProtocolTrace TraceOf(ulong client, EndPoint? from)
        => ProtocolTrace.OfClient(_logger, Address(from), client);

    /// <summary>Creates a trace of the messages that the server itself publishes.</summary>
    internal ProtocolTrace TraceOfServer() => ProtocolTrace.OfServer(_logger);

    internal void Connected(ulong client, EndPoint? from, string? name, string? language, string? version)
    {
        if (IsDebug)
        {
            ClientConnected(client, Address(from), Clean(name), Clean(language), Clean(version));
        }
    }

    internal void ProtocolError(ulong client, EndPoint? from, string error)
        => ClientFailed(client, Address(from), error);

    internal void Stale(ulong client, EndPoint? from) => ClientStale(client, Address(from));

    internal void Closed(ulong client, EndPoint? from, CloseReason reason, long pending, Exception? error)
    {
        if (CloseText.IsSlowConsumer(reason))
        {
            SlowConsumer(client, Address(from), pending);
        }
        else if (reason == CloseReason.ReceiveMemory)
        {
            ReceiveMemoryExceeded(client, Address(from));
        }
        else if (error is not null)
        {
            ClientFaulted(error, client, Address(from));
        }
        else if (IsDebug)
        {
            ClientClosed(client, Address(from), reason);
        }
    }

    /// <summary>Logs that the server is ready. A server without a name of its own is named by its id.</summary>
    internal void Ready(string name, string id) => ServerReady(string.Equals(name, id, StringComparison.Ordinal) ? id : $"{name} ({id})");

    internal void Refused(ulong client, EndPoint? from, string why) => ClientRefused(client, Address(from), why);

    internal void TooManySubscriptions(ulong client, EndPoint? from) => SubscriptionsExceeded(client, Address(from));

    internal void Losing(ulong client, EndPoint? from, SlowConsumerPolicy policy, long pending)
        => LosesMessages(client, Address(from), policy == SlowConsumerPolicy.DropOldest ? "oldest" : "newest", pending);

    internal void CaughtUp(ulong client, EndPoint? from, long dropped) => HasCaughtUp(client, Address(from), dropped);

    internal void OverTotal(ulong client, EndPoint? from, long total, long limit)
        => TotalExceeded(total, limit, client, Address(from));

    internal void NotDelivered(ulong client, EndPoint? from, long messages, long bytes)
        => Undelivered(messages, bytes, client, Address(from));

    /// <param name="account">The account; null for several.</param>
    /// <param name="why">The reason.</param>
    internal void AccountRefused(string? account, string why)
        => AccountNotUsed(account is null ? "Accounts" : "Account " + TraceText.Clean(account, most: 64), TraceText.Clean(why, most: 512));

    // The text contains the keys of two accounts.
    internal void ImportWithoutEffect(string why) => ImportNotUsed(TraceText.Clean(why, most: 512));

    internal void NotAuthorized(ulong client, EndPoint? from, string why)
        => ClientNotAuthorized(client, Address(from), TraceText.Clean(why, most: 256));

    internal void Violation(ulong client, EndPoint? from, string text, bool isFirst)
    {
        if (isFirst)
        {
            ClientViolates(client, Address(from), text);
        }
        else if (IsDebug)
        {
            ClientViolatesAgain(client, Address(from), text);
        }
    }

    internal void AuthorizeFailed(ulong client, EndPoint? from, Exception error)
        => CallbackFailed(error, client, Address(from));

    /// <summary>
    /// Logs a failed TLS handshake. If the client only opened and closed the connection, as a health probe does, the
    /// level is Debug.
    /// </summary>
    /// <param name="client">The client's id.</param>
    /// <param name="from">The client's address.</param>
    /// <param name="error">The error; null if the connection has ended without one.</param>
    /// <param name="hasBegun">Whether the client has sent a part of the handshake.</param>
    internal void HandshakeFailed(ulong client, EndPoint? from, Exception? error, bool hasBegun)
    {
        if (error is not null and not IOException)
        {
            ClientHandshakeFailed(client, Address(from), Clean(error.GetBaseException().Message));
        }
        else if (hasBegun)
        {
            ClientEndedHandshake(client, Address(from));
        }
        else if (IsDebug)
        {
            ClientLeftHandshake(client, Address(from));
        }
    }

    internal void TlsFailed(ulong client, EndPoint? from, Exception error)
        => ClientTlsFailed(client, Address(from), Clean(error.GetBaseException().Message));

    [LoggerMessage(40, LogLevel.Warning, "Client {Client} from {From} closed: TLS handshake error: {Why}")]
    private partial void ClientHandshakeFailed(ulong client, string from, string why);

    [LoggerMessage(41, LogLevel.Debug, "Client {Client} from {From} closed the connection before the TLS handshake")]
    private partial void ClientLeftHandshake(ulong client, string from);

    // The alert with the reason is often lost, because the client closes the connection right after it.
    [LoggerMessage(45, LogLevel.Information,
        "Client {Client} from {From}: TLS handshake error: the client closed the connection during the handshake or right "
        + "after it; it may not trust the certificate of the server")]
    private partial void ClientEndedHandshake(ulong client, string from);

    [LoggerMessage(42, LogLevel.Warning, "Client {Client} from {From} closed: TLS error: {Why}")]
    private partial void ClientTlsFailed(ulong client, string from, string why);

    [LoggerMessage(43, LogLevel.Warning,
        "Certificate {Subject} is not valid now: it is valid from {Begin:u} to {End:u}, and clients will reject it")]
    internal partial void CertificateNotValid(string subject, DateTime begin, DateTime end);

    [LoggerMessage(54, LogLevel.Warning, "{Which}: {Why}")]
    private partial void AccountNotUsed(string which, string why);

    [LoggerMessage(55, LogLevel.Information, "Account {Account} was {Change} by a request of the system account")]
    internal partial void AccountChanged(string account, string change);

    [LoggerMessage(48, LogLevel.Warning, "Accounts: {Why}")]
    private partial void ImportNotUsed(string why);

    [LoggerMessage(30, LogLevel.Warning, "Client {Client} from {From} not authorized: {Why}")]
    private partial void ClientNotAuthorized(ulong client, string from, string why);

    [LoggerMessage(31, LogLevel.Warning,
        "Client {Client} from {From}: {Text}; further violations of this client are logged at debug level")]
    private partial void ClientViolates(ulong client, string from, string text);

    [LoggerMessage(32, LogLevel.Debug, "Client {Client} from {From}: {Text}")]
    private partial void ClientViolatesAgain(ulong client, string from, string text);

    [LoggerMessage(33, LogLevel.Error, "Client {Client} from {From} not authorized: the application's callback failed")]
    private partial void CallbackFailed(Exception error, ulong client, string from);

    [LoggerMessage(34, LogLevel.Information, "Users and permissions were replaced")]
    internal partial void SecurityUpdated();

    [LoggerMessage(35, LogLevel.Warning,
        "No client has to authenticate, and other machines can connect to {EndPoint}: set users or a token, or listen on 127.0.0.1")]
    internal partial void OpenToOthers(EndPoint endPoint);

    [LoggerMessage(1, LogLevel.Information, "Listening for client connections on {EndPoint}")]
    internal partial void Listening(EndPoint endPoint);

    [LoggerMessage(2, LogLevel.Information, "Server is ready: {Server}")]
    private partial void ServerReady(string server);

    [LoggerMessage(16, LogLevel.Information, "Options reloaded: {Changes}")]
    internal partial void Reloaded(string changes);

    [LoggerMessage(17, LogLevel.Information, "Entering lame duck mode, stop accepting new clients")]
    internal partial void LameDuck();

    [LoggerMessage(18, LogLevel.Information, "Closing existing clients: {Count}")]
    internal partial void ClosingClients(int count);

    [LoggerMessage(44, LogLevel.Warning,
        "Out of file descriptors: too few of the {Limit} of this process are free. New connections are closed at once")]
    internal partial void OutOfFiles(long? limit);

    [LoggerMessage(9, LogLevel.Error, "A connection could not be accepted, or a callback failed")]
    internal partial void Fault(Exception error);

    [LoggerMessage(3, LogLevel.Debug, "Client {Client} from {From} connected: name '{Name}', {Language} {Version}")]
    private partial void ClientConnected(ulong client, string from, string name, string language, string version);

    [LoggerMessage(4, LogLevel.Warning, "Client {Client} from {From} closed: {Error}")]
    private partial void ClientFailed(ulong client, string from, string error);

    [LoggerMessage(5, LogLevel.Information, "Client {Client} from {From} closed: stale connection")]
    private partial void ClientStale(ulong client, string from);

    [LoggerMessage(6, LogLevel.Warning,
        "Client {Client} from {From} closed: slow consumer with {Pending} bytes pending")]
    private partial void SlowConsumer(ulong client, string from, long pending);

    [LoggerMessage(7, LogLevel.Error, "Client {Client} from {From} closed: internal server error")]
    private partial void ClientFaulted(Exception error, ulong client, string from);

    [LoggerMessage(8, LogLevel.Debug, "Client {Client} from {From} closed: {Reason}")]
    private partial void ClientClosed(ulong client, string from, CloseReason reason);

    [LoggerMessage(36, LogLevel.Warning,
        "Client {Client} from {From} closed: its message was incomplete for too long while the memory for received messages was used up")]
    private partial void ReceiveMemoryExceeded(ulong client, string from);

    [LoggerMessage(10, LogLevel.Warning,
        "{Messages} messages ({Bytes} bytes) were not delivered to client {Client} from {From}")]
    private partial void Undelivered(long messages, long bytes, ulong client, string from);

    [LoggerMessage(11, LogLevel.Warning, "Client {Client} from {From} refused: {Why}")]
    private partial void ClientRefused(ulong client, string from, string why);

    [LoggerMessage(12, LogLevel.Warning, "Client {Client} from {From}: maximum subscriptions exceeded")]
    private partial void SubscriptionsExceeded(ulong client, string from);

    [LoggerMessage(13, LogLevel.Warning,
        "Client {Client} from {From} is too slow with {Pending} bytes pending: its {Which} messages are dropped")]
    private partial void LosesMessages(ulong client, string from, string which, long pending);

    [LoggerMessage(14, LogLevel.Warning, "Client {Client} from {From} has caught up; {Dropped} messages were dropped")]
    private partial void HasCaughtUp(ulong client, string from, long dropped);

    [LoggerMessage(15, LogLevel.Warning,
        "{Total} bytes are pending for all clients, more than {Limit}: client {Client} from {From} has the most")]
    private partial void TotalExceeded(long total, long limit, ulong client, string from);

    private static string Address(EndPoint? from) => from?.ToString() ?? "this process";

    private static string Clean(string? text) => text is null ? "" : TraceText.Clean(text, most: 128);
}
