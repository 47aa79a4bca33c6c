using Broker.Server;
using Broker.Streams;
using Microsoft.Extensions.Logging;

namespace Broker.Cli.Serving;

/// <summary>Starts the streams of the server.</summary>
internal static partial class StreamsSetup
{
    /// <summary>Starts a server, with streams if the settings have them.</summary>
    /// <exception cref="ServeStartException">The directory of the streams cannot be used.</exception>
    public static async Task<BrokerServer> StartServerAsync(
        ServeSettings settings, BrokerServerOptions options, ILogger logger, CancellationToken cancellationToken)
    {
        if (settings.Streams is not { } streams)
        {
            return await BrokerServer.StartAsync(options, cancellationToken);
        }

        string? directory = streams.Directory ?? settings.StoreDirectory;
        IReadOnlyDictionary<string, AccountStreamLimits> accounts = AccountsOf(settings.Security);
        try
        {
            BrokerServer server = await BrokerServer.StartAsync(
                options,
                ServerStreams.With(new ServerStreamsOptions
                {
                    Directory = directory ?? StreamsSettings.TemporaryDirectory,
                    Accounts = [.. accounts.Keys],
                    AccountLimits = accounts,
                    Domain = streams.Domain,
                    MaxFile = streams.MaxFile,
                    MaxMemory = streams.MaxMemory,
                    Logger = logger,
                }),
                cancellationToken);
            if (directory is null)
            {
                IsTemporary(logger, StreamsSettings.TemporaryDirectory);
            }

            if (accounts.Count == 0)
            {
                HasNoAccount(logger);
            }

            return server;
        }
        catch (StoreException e)
        {
            throw new ServeStartException($"cannot start the streams: {e.Message}", e);
        }
    }

    /// <summary>
    /// The accounts with streams and their limits. As in nats-server, the clients of a server without accounts may have
    /// streams, and with accounts only those that the file names.
    /// </summary>
    public static IReadOnlyDictionary<string, AccountStreamLimits> AccountsOf(SecuritySettings? security)
    {
        bool hasOthers = security?.Accounts.Any(account => account.Name != (security.SystemAccount ?? AccountDescription.SystemName)) == true;
        return hasOthers
            ? security!.AccountsWithStreams
            : new Dictionary<string, AccountStreamLimits>(StringComparer.Ordinal) { [AccountDescription.GlobalName] = AccountStreamLimits.None };
    }

    [LoggerMessage(218, LogLevel.Warning, "Streams are in a folder of temporary files, which the system may delete: {Directory} (-sd or store_dir names another)")]
    private static partial void IsTemporary(ILogger logger, string directory);

    [LoggerMessage(219, LogLevel.Warning, "No account has streams: an account needs \"jetstream: enabled\"")]
    private static partial void HasNoAccount(ILogger logger);
}
