using Microsoft.Extensions.Logging;

namespace Broker.Cli.Serving;

/// <summary>
/// The server and bridge that a command runs. One caller starts it once, stops it once and then disposes it.
/// </summary>
internal interface IServeHost : IAsyncDisposable
{
    /// <summary>
    /// Starts everything that the settings ask for. When the task completes, all addresses accept connections.
    /// </summary>
    /// <exception cref="ServeStartException">A part could not be started.</exception>
    Task<ServeAddresses> StartAsync(ServeSettings settings, ILoggerFactory loggers, CancellationToken cancellationToken);

    /// <summary>Returns the current counts. Called about once a second while running, on another thread.</summary>
    ServeCounts ReadCounts();

    /// <summary>
    /// Completes when all event loops have responded, with false if one of them has ended. It does not complete while a
    /// loop hangs. Can be called on any thread.
    /// </summary>
    Task<bool> AnswerAsync();

    /// <summary>
    /// Returns the work that remains before the stop. Called about once a second while stopping, on another thread.
    /// </summary>
    ServeBacklog ReadBacklog();

    /// <summary>
    /// Applies settings that can change while running. The caller has checked that all other settings are equal.
    /// </summary>
    /// <exception cref="ServeStartException">A setting cannot be applied.</exception>
    Task ReloadAsync(ServeSettings settings);

    /// <summary>
    /// Sets the function that runs when a client of the server's system account requests a reload. The function reads
    /// the settings again and applies them. If it throws, the client receives the message of the exception. Called
    /// after the start.
    /// </summary>
    void ReloadOnRequest(Func<Task> reload);

    /// <summary>
    /// Sets the function that begins lame duck mode when an administrator asks for it. Called after the start.
    /// </summary>
    void LameDuckOnRequest(Action begin);

    /// <summary>
    /// Stops accepting clients, asks connected clients to connect to other servers, and closes the remaining clients.
    /// The caller stops the host afterwards.
    /// </summary>
    Task EnterLameDuckAsync(CancellationToken cancellationToken);

    /// <summary>
    /// Stops accepting clients, delivers pending messages until <paramref name="deadline"/> is cancelled, and closes
    /// everything. Returns the number of messages that were not delivered. It does not throw when the deadline is
    /// reached.
    /// </summary>
    Task<long> StopAsync(CancellationToken deadline);
}
