namespace Broker.Benchmarks.NatsNet.Clients;

/// <summary>A connection of a client library whose plain messages are measured.</summary>
internal interface IPlainClient : IAsyncDisposable
{
    /// <summary>Publishes messages and returns when the server has read all of them.</summary>
    Task PublishAsync(int count);

    /// <summary>Receives messages in the form of this library that costs least.</summary>
    /// <param name="count">The number of messages.</param>
    /// <param name="publish">Publishes them. It is called when the server knows the subscription.</param>
    Task ReceiveAsync(int count, Action publish);

    /// <summary>Receives messages one after another by an <c>await</c> for each.</summary>
    /// <inheritdoc cref="ReceiveAsync"/>
    Task ReadAsync(int count, Action publish);

    /// <summary>Sends requests and waits for their replies.</summary>
    /// <param name="count">The number of requests.</param>
    /// <param name="together">The number of requests in flight.</param>
    Task RequestAsync(int count, int together);
}
