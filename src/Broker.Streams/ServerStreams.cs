using Broker.Server;

namespace Broker.Streams;

/// <summary>
/// Streams of a server: clients use them by the JetStream API, as those of a nats-server. A message is acknowledged when
/// it is on the disk.
/// </summary>
/// <remarks>Thread-safe. The server disposes it.</remarks>
/// <example><code>
/// await using var server = await BrokerServer.StartAsync(o => o.Listen(4222), ServerStreams.In("data"));
/// </code></example>
public sealed class ServerStreams : IServerStreams
{
    private readonly ServerStreamsOptions _options;
    private readonly string _directory;
    private readonly StorageQuota? _file;
    private readonly StorageQuota _memory;
    private readonly StreamsLog _log;
    private readonly SortedDictionary<string, AccountStreams> _accounts = new(StringComparer.Ordinal);

    private ServerStreams(ServerStreamsOptions options)
    {
        _options = options;
        _directory = Path.GetFullPath(options.Directory);
        _log = new StreamsLog(options.Logger);
        _file = options.MaxFile is { } file
            ? new StorageQuota(file, ApiErrors.NotStored("the limit of the server on streams on the disk (max_file) is reached"))
            : null;
        _memory = new StorageQuota(
            options.MaxMemory ?? ServerStreamsOptions.DefaultMaxMemory,
            ApiErrors.NotStored("the limit of the server on streams in memory (max_mem) is reached"));
    }

    /// <inheritdoc/>
    public string? Domain => _options.Domain;

    /// <summary>Returns the callback that starts streams in a directory, for the start of a server.</summary>
    /// <param name="directory">The directory, which is created if it does not exist.</param>
    /// <exception cref="ArgumentException">The directory is empty.</exception>
    public static Func<BrokerServer, CancellationToken, Task<IServerStreams>> In(string directory)
        => With(new ServerStreamsOptions { Directory = directory });

    /// <summary>Returns the callback that starts streams, for the start of a server.</summary>
    /// <remarks>
    /// The start of the server fails with a <see cref="StoreException"/> if the directory cannot be used: another process
    /// uses it, it cannot be written, or something else wrote it. Then nothing in it has been changed.
    /// </remarks>
    /// <exception cref="ArgumentException">An option is out of its range; the message names it.</exception>
    public static Func<BrokerServer, CancellationToken, Task<IServerStreams>> With(ServerStreamsOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        options.Validate();
        return (server, cancellationToken) => StartAsync(server, options, cancellationToken);
    }

    /// <inheritdoc/>
    public bool HasStreams(string account) => _accounts.ContainsKey(account);

    /// <inheritdoc/>
    public ReadOnlyMemory<byte> Refuse(string request) => Refusals.Of(request);

    /// <inheritdoc/>
    public StreamsDescription Describe()
    {
        var file = default(StoreTotals);
        var memory = default(StoreTotals);
        long requests = 0;
        long errors = 0;
        long consumers = 0;
        long delivered = 0;
        long acknowledged = 0;
        long pending = 0;
        var problems = new List<string>();
        foreach ((string name, AccountStreams account) in _accounts)
        {
            account.Add(name, ref file, ref memory, problems);
            requests += account.Requests;
            errors += account.Errors;
            consumers += account.Consumers.Consumers;
            delivered += account.Consumers.Delivered;
            acknowledged += account.Consumers.Acknowledged;
            pending += account.Consumers.Pending;
        }

        return new StreamsDescription
        {
            Directory = _directory,
            Domain = Domain,
            MaxMemory = _memory.Limit,
            MaxFile = _file?.Limit,
            Memory = memory.Bytes,
            File = file.Bytes,
            ReservedMemory = memory.Reserved,
            ReservedFile = file.Reserved,
            Accounts = [.. _accounts.Keys],
            Streams = file.Streams + memory.Streams,
            DamagedStreams = file.Damaged + memory.Damaged,
            Messages = file.Messages + memory.Messages,
            Consumers = consumers,
            Delivered = delivered,
            Acknowledged = acknowledged,
            Pending = pending,
            Requests = requests,
            Errors = errors,
            Problems = problems,
        };
    }

    /// <inheritdoc/>
    public async Task<IReadOnlyList<AccountStreamsDescription>> DescribeAccountsAsync(StreamsQuery query, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(query);
        var all = new List<AccountStreamsDescription>();
        foreach ((string name, AccountStreams account) in _accounts)
        {
            bool isListed = query.Account is null || string.Equals(query.Account, name, StringComparison.Ordinal);
            StreamsQuery asked = isListed ? query : new StreamsQuery();
            all.Add(await account.DescribeAsync(name, asked).WaitAsync(cancellationToken).ConfigureAwait(false));
        }

        return all;
    }

    /// <summary>Writes what the streams have received, and closes their files.</summary>
    public async ValueTask DisposeAsync()
    {
        foreach (AccountStreams account in _accounts.Values)
        {
            await account.DisposeAsync().ConfigureAwait(false);
        }
    }

    private static async Task<IServerStreams> StartAsync(BrokerServer server, ServerStreamsOptions options, CancellationToken cancellationToken)
    {
        var streams = new ServerStreams(options);
        try
        {
            StoreFolders.Check(streams._directory);
            foreach (string account in options.Accounts)
            {
                cancellationToken.ThrowIfCancellationRequested();
                await streams.StartAsync(server, account).ConfigureAwait(false);
            }

            return streams;
        }
        catch (Exception e)
        {
            await streams.DisposeAsync().ConfigureAwait(false);
            if (e is IOException or UnauthorizedAccessException)
            {
                throw new StoreException($"The directory '{streams._directory}' cannot be used for streams: {e.Message}", e);
            }

            throw;
        }
    }

    private static StorageQuota? QuotaOf(long? ofAccount, StorageQuota? ofServer)
        => ofAccount is { } limit ? new StorageQuota(limit, ApiErrors.AccountResources, ofServer) : ofServer;

    private async Task StartAsync(BrokerServer server, string account)
    {
        string directory = StoreFolders.Of(_directory, account);
        AccountStreamLimits limits = _options.AccountLimits.GetValueOrDefault(account) ?? AccountStreamLimits.None;
        var options = new AccountStreamsOptions
        {
            Limits = limits,
            Account = account,
            Directory = directory,
            Domain = Domain,
            Store = new StoreOptions
            {
                Quota = QuotaOf(limits.MaxFile, _file),
                MemoryQuota = QuotaOf(limits.MaxMemory, _memory),
                OnDamage = (stream, damage) => _log.Damaged(account, stream, damage),
            },
            OnFault = _log.Fault,
        };
        AccountStreams streams = await AccountStreams.StartAsync(server, options).ConfigureAwait(false);
        _accounts.Add(account, streams);
        _log.Opened(account, directory, streams.Recovery);
    }
}
