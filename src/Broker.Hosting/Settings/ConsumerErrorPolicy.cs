namespace Broker.Hosting;

/// <summary>The policy of a hosted consumer for a message that it could not handle.</summary>
public enum ConsumerErrorPolicy
{
    /// <summary>The server delivers the message again after <see cref="BrokerConsumerSettings.RetryDelay"/>.</summary>
    Retry,

    /// <summary>The message is given up: the server does not deliver it again.</summary>
    Terminate,

    /// <summary>The host stops. The server delivers the message again.</summary>
    StopHost,
}
