using Microsoft.Extensions.Logging;

namespace Broker.Cli.Serving;

/// <summary>What <c>broker serve</c> runs. It is started once, stopped once and then disposed, by one caller.</summary>
internal interface IServeHost : IAsyncDisposable
{
    /// <summary>Starts everything the settings ask for; when it returns, all addresses accept connections.</summary>
    /// <exception cref="ServeStartException">Something could not be started; its message is one line for the user.</exception>
    Task<ServeAddresses> StartAsync(ServeSettings settings, ILoggerFactory loggers, CancellationToken cancellationToken);

    /// <summary>The present counts. Called about once a second while running, from another thread.</summary>
    ServeCounts ReadCounts();

    /// <summary>
    /// Completes when all event loops have answered, with false when one has ended; while one of them hangs it does not. Called from any thread.
    /// </summary>
    Task<bool> AnswerAsync();

    /// <summary>What is still to be done before it can end. Called about once a second while stopping, from another thread.</summary>
    ServeBacklog ReadBacklog();

    /// <summary>Changes what may change while it runs; the caller has seen to it that nothing else differs.</summary>
    /// <exception cref="ServeStartException">A setting cannot be had; nothing has changed.</exception>
    Task ReloadAsync(ServeSettings settings);

    /// <summary>Accepts nobody new, asks clients to go elsewhere and sends away those that stay. It is stopped after that.</summary>
    Task EnterLameDuckAsync(CancellationToken cancellationToken);

    /// <summary>
    /// Stops accepting, delivers what is queued until done or until <paramref name="deadline"/> is cancelled, closes
    /// everything, and answers how many messages were not delivered. It does not throw when the deadline comes.
    /// </summary>
    Task<long> StopAsync(CancellationToken deadline);
}
