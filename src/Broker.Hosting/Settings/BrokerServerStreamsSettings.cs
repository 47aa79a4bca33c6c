using Broker.Server;
using Broker.Streams;
using Microsoft.Extensions.Logging;

namespace Broker.Hosting;

/// <summary>
/// The streams of the host's server: the section <c>Broker:Streams</c>. Settings without a value use the defaults of
/// <see cref="ServerStreamsOptions"/>.
/// </summary>
public sealed class BrokerServerStreamsSettings
{
    /// <summary>
    /// See <see cref="ServerStreamsOptions.Directory"/>. A relative path begins in the host's content root. It must be
    /// set.
    /// </summary>
    public string? Directory { get; set; }

    /// <summary>
    /// The accounts that may have streams. If the list is empty (the default), the account of clients that are in no
    /// other account.
    /// </summary>
    public IList<string> Accounts { get; } = [];

    /// <summary>The limits of accounts of <see cref="Accounts"/>. An account that is not listed has only those of the server.</summary>
    public IList<BrokerAccountStreamsSettings> AccountLimits { get; } = [];

    /// <summary>See <see cref="ServerStreamsOptions.Domain"/>.</summary>
    public string? Domain { get; set; }

    /// <summary>See <see cref="ServerStreamsOptions.MaxFile"/>.</summary>
    public long? MaxFile { get; set; }

    /// <summary>See <see cref="ServerStreamsOptions.MaxMemory"/>.</summary>
    public long? MaxMemory { get; set; }

    internal ServerStreamsOptions ToOptions(Func<string, string> resolve, ILogger logger) => new()
    {
        Directory = Directory is { Length: > 0 } directory ? resolve(directory) : throw new ArgumentException("Directory: it is missing."),
        Accounts = Accounts.Count > 0 ? [.. Accounts] : [AccountDescription.GlobalName],
        AccountLimits = LimitsByName(),
        Domain = Domain,
        MaxFile = MaxFile,
        MaxMemory = MaxMemory,
        Logger = logger,
    };

    /// <summary>Returns all settings as one text, to compare them.</summary>
    internal string Describe()
        => string.Join('|', [Directory, Domain, $"{MaxFile}", $"{MaxMemory}", .. Accounts, .. AccountLimits.Select(static account => $"{account.Account}: {account.ToLimits()}")]);

    private Dictionary<string, AccountStreamLimits> LimitsByName()
    {
        var limits = new Dictionary<string, AccountStreamLimits>(StringComparer.Ordinal);
        foreach (BrokerAccountStreamsSettings account in AccountLimits)
        {
            if (account.Account is not { Length: > 0 } name || !limits.TryAdd(name, account.ToLimits()))
            {
                throw new ArgumentException(account.Account is { Length: > 0 } ? $"AccountLimits: '{account.Account}' is there twice." : "AccountLimits: Account is missing.");
            }
        }

        return limits;
    }
}
