using Broker.Server;

namespace Broker.Hosting;

/// <summary>
/// The operators whose accounts and users the server accepts by their JWTs: the section <c>Broker:Operator</c>. It
/// needs the package <c>Broker.Cryptography</c>:
/// <c>AddBroker(broker => broker.Configure(o => o.UseCryptography()))</c>.
/// </summary>
public sealed class BrokerOperatorSettings
{
    private const string Section = "Operator";

    /// <summary>
    /// The JWTs of the operators, or files with them. Relative paths begin in the host's content root.
    /// </summary>
    public IList<string> Operators { get; } = [];

    /// <summary>See <see cref="OperatorOptions.TrustedKeys"/>.</summary>
    public IList<string> TrustedKeys { get; } = [];

    /// <summary>
    /// The public key of the system account. Null, the default: the account in the JWT of the operator.
    /// </summary>
    public string? SystemAccount { get; set; }

    /// <summary>The JWTs of accounts, or files with them (<see cref="OperatorOptions.Accounts"/>).</summary>
    public IList<string> Accounts { get; } = [];

    /// <summary>See <see cref="OperatorOptions.PinnedAccounts"/>.</summary>
    public IList<string> PinnedAccounts { get; } = [];

    /// <summary>The place of further accounts. Null, the default: there are none.</summary>
    public BrokerResolverSettings? Resolver { get; set; }

    internal OperatorOptions ToOptions(Func<string?, string?> resolve)
    {
        var accounts = new Dictionary<string, string>(StringComparer.Ordinal);
        for (int i = 0; i < Accounts.Count; i++)
        {
            string jwt = TokenText.Read($"{Section}:{nameof(Accounts)}:{i}", Accounts[i], resolve);
            string account = TokenText.SubjectOf($"{Section}:{nameof(Accounts)}:{i}", jwt);
            if (!accounts.TryAdd(account, jwt))
            {
                throw new ArgumentException($"{Section}:{nameof(Accounts)}:{i}: account {account} occurs twice.");
            }
        }

        return new OperatorOptions
        {
            Operators = [.. Operators.Select((text, i) => TokenText.Read($"{Section}:{nameof(Operators)}:{i}", text, resolve))],
            TrustedKeys = [.. TrustedKeys],
            Accounts = accounts,
            PinnedAccounts = [.. PinnedAccounts],
            Resolver = Resolver?.ToResolver(resolve),
        };
    }
}
