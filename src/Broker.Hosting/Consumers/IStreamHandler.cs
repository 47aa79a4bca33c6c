using Broker.Client.Streams;

namespace Broker.Hosting;

/// <summary>
/// Handles the messages of a hosted consumer. Each message gets an instance of its own from a scope of the host's
/// services, unless the program has registered the class with another lifetime.
/// </summary>
/// <typeparam name="T">The type of the values.</typeparam>
public interface IStreamHandler<in T>
{
    /// <summary>
    /// Handles a message. When it returns, the message is acknowledged
    /// (<see cref="BrokerConsumerSettings.Acknowledge"/>). After an exception,
    /// <see cref="BrokerConsumerSettings.OnError"/> applies.
    /// </summary>
    /// <param name="value">The value of the body.</param>
    /// <param name="message">The message, which stays valid.</param>
    /// <param name="cancellationToken">Cancelled when the time for the stop of the host is used up.</param>
    ValueTask HandleAsync(T value, StreamMessage message, CancellationToken cancellationToken);
}
