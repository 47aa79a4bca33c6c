using Broker.Server;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace Broker.Streams;

/// <summary>The options of the streams of a server.</summary>
public sealed record ServerStreamsOptions
{
    /// <summary>
    /// The directory of the streams. It is created if it does not exist. Only one process can use it at a time.
    /// </summary>
    public required string Directory { get; init; }

    /// <summary>
    /// The names of the accounts that may have streams, each in a store of its own. The default is the account of
    /// clients that are in no other account.
    /// </summary>
    public IReadOnlyList<string> Accounts { get; init; } = [AccountDescription.GlobalName];

    /// <summary>
    /// The limits of accounts by their names, for accounts of <see cref="Accounts"/>. The others have only the limits of
    /// the server.
    /// </summary>
    public IReadOnlyDictionary<string, AccountStreamLimits> AccountLimits { get; init; } = new Dictionary<string, AccountStreamLimits>(StringComparer.Ordinal);

    /// <summary>
    /// The domain, which is a second name of the JetStream API: <c>$JS.DOMAIN.API</c>. A word without dots, wildcards and
    /// spaces; null, the default, for none.
    /// </summary>
    public string? Domain { get; init; }

    /// <summary>
    /// The maximum bytes of the messages of all streams on the disk. When it is reached, new messages are refused with
    /// the code 10077. The files can be larger, because the space of deleted messages returns in pieces of 64 MiB. Null,
    /// the default, for no limit but the disk.
    /// </summary>
    public long? MaxFile { get; init; }

    /// <summary>
    /// The maximum bytes of the messages of all streams in memory. When it is reached, new messages are refused with the
    /// code 10077. Null, the default, for three quarters of the memory that the process may use.
    /// </summary>
    public long? MaxMemory { get; init; }

    /// <summary>Receives the findings of the start, and errors.</summary>
    public ILogger Logger { get; init; } = NullLogger.Instance;

    internal static long DefaultMaxMemory => GC.GetGCMemoryInfo().TotalAvailableMemoryBytes / 4 * 3;

    /// <summary>Whether a text is a value that <see cref="Domain"/> may have.</summary>
    public static bool IsValidDomain(string domain)
    {
        ArgumentNullException.ThrowIfNull(domain);
        return domain.Length > 0 && !domain.Any(static c => c is '.' or '*' or '>' || char.IsWhiteSpace(c) || char.IsControl(c));
    }

    internal void Validate()
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(Directory);
        if (MaxFile < 0 || MaxMemory < 0)
        {
            throw new ArgumentException($"{(MaxFile < 0 ? nameof(MaxFile) : nameof(MaxMemory))} must not be negative.");
        }

        if (Domain is not null && !IsValidDomain(Domain))
        {
            throw new ArgumentException($"{nameof(Domain)} must be a word without dots, wildcards and spaces, not '{Domain}'.");
        }

        if (Accounts.Count != Accounts.Distinct(StringComparer.Ordinal).Count())
        {
            throw new ArgumentException($"{nameof(Accounts)} must not name an account twice.");
        }

        foreach ((string account, AccountStreamLimits limits) in AccountLimits)
        {
            if (!Accounts.Contains(account, StringComparer.Ordinal))
            {
                throw new ArgumentException($"{nameof(AccountLimits)} has '{account}', which is not in {nameof(Accounts)}.");
            }

            limits.Validate();
        }
    }
}
