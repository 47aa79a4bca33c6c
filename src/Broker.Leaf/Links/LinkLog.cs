using Microsoft.Extensions.Logging;

namespace Broker.Leaf;

/// <summary>The log lines of links. Event ids never change, and the id of a removed event is not reused.</summary>
internal sealed partial class LinkLog(ILogger logger)
{
    [LoggerMessage(1, LogLevel.Information, "Leaf node connected to {Remote} at {Address}, account {Account}", EventName = "LeafConnected")]
    private static partial void ConnectedTo(ILogger logger, string remote, string address, string account);

    [LoggerMessage(2, LogLevel.Warning, "Leaf node disconnected from {Address}: {Reason}; next attempt in {Delay:0.0} s", EventName = "LeafDisconnected")]
    private static partial void DisconnectedFrom(ILogger logger, string address, string reason, double delay);

    [LoggerMessage(3, LogLevel.Warning, "Leaf node cannot connect to {Address}: {Reason}; attempts continue", EventName = "LeafConnectFailed")]
    private static partial void CannotConnect(ILogger logger, string address, string reason);

    [LoggerMessage(4, LogLevel.Debug, "Leaf node still cannot connect to {Address}: {Reason}", EventName = "LeafConnectFailedAgain")]
    private static partial void StillCannotConnect(ILogger logger, string address, string reason);

    [LoggerMessage(5, LogLevel.Warning, "Leaf node {Address} reports an error: {Text}", EventName = "LeafError")]
    private static partial void ErrorFrom(ILogger logger, string address, string text);

    [LoggerMessage(6, LogLevel.Warning, "Leaf node {Address} loses messages: {Reason}; further losses are only counted", EventName = "LeafMessagesLost")]
    private static partial void LosesMessages(ILogger logger, string address, string reason);

    [LoggerMessage(7, LogLevel.Information, "Leaf nodes can join at {Address}", EventName = "LeafListening")]
    private static partial void ListeningAt(ILogger logger, string address);

    [LoggerMessage(8, LogLevel.Information, "Leaf node {Name} has joined from {Address}, account {Account}", EventName = "LeafJoined")]
    private static partial void HasJoined(ILogger logger, string name, string address, string account);

    [LoggerMessage(9, LogLevel.Information, "Leaf node {Name} from {Address} has left: {Reason}", EventName = "LeafLeft")]
    private static partial void HasLeft(ILogger logger, string name, string address, string reason);

    [LoggerMessage(10, LogLevel.Warning, "Leaf node from {Address} was refused: {Reason}", EventName = "LeafRefused")]
    private static partial void IsRefused(ILogger logger, string address, string reason);

    internal void Listening(string address) => ListeningAt(logger, address);

    internal void Joined(string name, string address, string account) => HasJoined(logger, name, address, account);

    internal void Left(string name, string address, string reason) => HasLeft(logger, name, address, reason);

    internal void Refused(string address, string reason) => IsRefused(logger, address, reason);

    internal void Connected(string remote, string address, string account) => ConnectedTo(logger, remote, address, account);

    internal void Disconnected(string address, string reason, TimeSpan delay) => DisconnectedFrom(logger, address, reason, delay.TotalSeconds);

    /// <param name="address">The address.</param>
    /// <param name="reason">Why the attempt failed.</param>
    /// <param name="isFirst">Whether this is the first failure since the last connection.</param>
    internal void ConnectFailed(string address, string reason, bool isFirst)
    {
        if (isFirst)
        {
            CannotConnect(logger, address, reason);
        }
        else
        {
            StillCannotConnect(logger, address, reason);
        }
    }

    internal void Error(string address, string text) => ErrorFrom(logger, address, text);

    internal void MessagesLost(string address, string reason) => LosesMessages(logger, address, reason);
}
