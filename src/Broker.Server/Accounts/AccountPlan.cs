using System.Text;
using Broker.Protocol;

namespace Broker.Server;

/// <summary>The checked account configuration of the options. Immutable: a reload creates another object.</summary>
internal sealed class AccountPlan
{
    private readonly Dictionary<string, AccountOptions> _accounts = new(StringComparer.Ordinal);

    /// <param name="accounts">The configured accounts.</param>
    /// <param name="systemAccount">The name of the system account; null for <c>$SYS</c>.</param>
    /// <param name="mappings">The mappings of the account <c>$G</c>.</param>
    /// <exception cref="ArgumentException">
    /// The accounts do not fit together; the message names the account and the reason.
    /// </exception>
    internal AccountPlan(
        IReadOnlyList<AccountOptions> accounts, string? systemAccount, IReadOnlyList<SubjectMapping> mappings)
    {
        ArgumentNullException.ThrowIfNull(accounts);
        GlobalMappings = mappings;
        RefuseTwice(AccountNames.Global, mappings);
        foreach (AccountOptions account in accounts)
        {
            Add(account);
        }

        SystemAccount = systemAccount ?? AccountNames.System;
        if (systemAccount is not null && !IsKnown(SystemAccount))
        {
            throw new ArgumentException(
                $"The system account is to be '{SystemAccount}', but there is no such account.");
        }

        foreach (AccountOptions account in _accounts.Values)
        {
            Check(account);
            foreach (AccountExport export in account.Exports)
            {
                CheckAccounts(account, export);
            }
        }

        Links = [.. _accounts.Values.SelectMany(a => a.Imports.Select(i => Link(a, i)))];
        RefuseDuplicates();
        RefuseCycles();
    }

    /// <summary>Creates the plan of accounts that have been checked already, and whose imports are linked.</summary>
    /// <param name="accounts">The accounts, without imports.</param>
    /// <param name="links">The imports of the accounts.</param>
    /// <param name="systemAccount">The name of the system account; null for <c>$SYS</c>.</param>
    /// <param name="mappings">The mappings of the account <c>$G</c>.</param>
    /// <exception cref="ArgumentException">A mapping is wrong.</exception>
    internal AccountPlan(
        IEnumerable<AccountOptions> accounts, IReadOnlyList<ImportLink> links, string? systemAccount, IReadOnlyList<SubjectMapping> mappings)
    {
        GlobalMappings = mappings;
        RefuseTwice(AccountNames.Global, mappings);
        foreach (AccountOptions account in accounts)
        {
            _accounts.Add(account.Name, account);
        }

        Links = links;
        SystemAccount = systemAccount ?? AccountNames.System;
        HasMembers = true;
    }

    internal string SystemAccount { get; }

    /// <summary>Whether accounts know their clients, because one account can change without the others.</summary>
    internal bool HasMembers { get; }

    /// <summary>The mappings of the account <c>$G</c>.</summary>
    internal IReadOnlyList<SubjectMapping> GlobalMappings { get; }

    /// <summary>All imports of all accounts.</summary>
    internal IReadOnlyList<ImportLink> Links { get; }

    /// <summary>
    /// The configured accounts by name, without <c>$G</c>. <c>$SYS</c> is included only if it is configured.
    /// </summary>
    internal IReadOnlyDictionary<string, AccountOptions> Accounts => _accounts;

    /// <summary>Whether an account with this name exists.</summary>
    internal bool IsKnown(string name)
        => name is AccountNames.Global or AccountNames.System || _accounts.ContainsKey(name);

    /// <summary>Checks what does not depend on other accounts.</summary>
    /// <exception cref="ArgumentException">A mapping or an export is wrong.</exception>
    internal static void Check(AccountOptions account)
    {
        RefuseTwice(account.Name, account.Mappings);
        foreach (AccountExport export in account.Exports)
        {
            Check(account, export);
        }
    }

    private void Add(AccountOptions account)
    {
        ArgumentNullException.ThrowIfNull(account);
        if (account.Name is AccountNames.Global)
        {
            throw new ArgumentException($"The account {account.Name} is built in and cannot be configured.");
        }

        if (account.Name.Any(c => char.IsControl(c) || char.IsWhiteSpace(c) || c is '.' or '*' or '>'))
        {
            // The name is a token in the subjects of events.
            throw new ArgumentException(
                $"'{account.Name}' is not a valid account name: it must not contain white space, dots or wildcards.");
        }

        if (account.MaxConnections < 0 || account.MaxSubscriptions < 0 || account.MaxPayload < 0)
        {
            throw new ArgumentException($"A limit of account '{account.Name}' is negative: set it to null for no limit.");
        }

        if (!_accounts.TryAdd(account.Name, account))
        {
            throw new ArgumentException($"There are two accounts '{account.Name}'.");
        }
    }

    private static void RefuseTwice(string account, IReadOnlyList<SubjectMapping> mappings)
    {
        ArgumentNullException.ThrowIfNull(mappings);
        var known = new HashSet<string>(StringComparer.Ordinal);
        foreach (SubjectMapping mapping in mappings)
        {
            ArgumentNullException.ThrowIfNull(mapping);
            if (!known.Add(mapping.Source))
            {
                throw new ArgumentException($"Account '{account}' maps '{mapping.Source}' twice.");
            }
        }
    }

    private static void Check(AccountOptions account, AccountExport export)
    {
        byte[] subject = Encoding.UTF8.GetBytes(export.Subject);
        if (!Subject.IsValidFilter(subject) || ReservedSubjects.ContainsReply(subject))
        {
            throw new ArgumentException(
                $"Account '{account.Name}' exports '{export.Subject}', which is not a valid subject.");
        }

        if (export is ServiceExport { ResponseTimeout: var timeout } && timeout is { Ticks: <= 0 } or { TotalDays: > 24 })
        {
            throw new ArgumentException(
                $"Account '{account.Name}' exports '{export.Subject}' with a response timeout that is out of range: "
                + "it must be more than zero and at most 24 days.");
        }
    }

    private void CheckAccounts(AccountOptions account, AccountExport export)
    {
        foreach (string name in export.Accounts ?? [])
        {
            if (!IsKnown(name))
            {
                throw new ArgumentException(
                    $"Account '{account.Name}' exports '{export.Subject}' to '{name}', but there is no such account.");
            }
        }
    }

    private ImportLink Link(AccountOptions account, AccountImport import)
    {
        string what = $"Account '{account.Name}' imports '{import.Subject}' of '{import.Account}'";
        if (!IsKnown(import.Account))
        {
            throw new ArgumentException($"{what}, but there is no such account.");
        }

        if (import is StreamImport { Prefix: { } prefix } && Subject.HasWildcard(Encoding.UTF8.GetBytes(prefix)))
        {
            throw new ArgumentException($"{what} with the prefix '{prefix}', which must not contain wildcards.");
        }

        bool isService = import is ServiceImport;
        var mapping = ImportMapping.Create(import.Subject, import.LocalSubject, isService, out string? problem);
        if (mapping is null)
        {
            throw new ArgumentException($"{what} as '{import.LocalSubject}': {problem}.");
        }

        if (ReservedSubjects.ContainsReply(mapping.Remote) || ReservedSubjects.ContainsReply(mapping.Local))
        {
            throw new ArgumentException($"{what}, but this subject is reserved for the server.");
        }

        IReadOnlyList<AccountExport> exports = _accounts.GetValueOrDefault(import.Account)?.Exports ?? [];
        AccountExport[] matching =
        [
            .. exports.Where(e => e is ServiceExport == isService
                && ImportLink.Covers(Encoding.UTF8.GetBytes(e.Subject), mapping.Remote)),
        ];
        AccountExport? export = Array.Find(
            matching, e => e.Accounts is null || e.Accounts.Contains(account.Name, StringComparer.Ordinal));
        string kind = isService ? "service" : "stream";
        return export is not null ? new ImportLink(account.Name, import, export, mapping)
            : throw new ArgumentException(matching.Length == 0
                ? $"{what}, which exports no such {kind}."
                : $"{what}, but this {kind} is not exported to it.");
    }

    private void RefuseDuplicates()
    {
        // Two services must not have the same subject, because a requester would receive two replies. Several streams
        // may have the same subject.
        var known = new HashSet<(string Importer, string Local, string? From, string? Remote)>();
        foreach (ImportLink link in Links)
        {
            string local = Encoding.UTF8.GetString(link.Mapping.Local);
            bool isNew = known.Add(link.IsService
                ? (link.Importer, local, null, null)
                : (link.Importer, local, link.Import.Account, link.Import.Subject));
            if (!isNew)
            {
                throw new ArgumentException($"Account '{link.Importer}' imports '{local}' twice.");
            }
        }
    }

    // Refuses cycles of imports, so that a message passes each import at most once.
    private void RefuseCycles()
    {
        ImportLink[] links = [.. Links];
        List<int>[] before =
        [
            .. links.Select(to => Enumerable.Range(0, links.Length).Where(from => links[from].LeadsTo(to)).ToList()),
        ];
        int[] ahead = new int[links.Length];
        foreach (int from in before.SelectMany(b => b))
        {
            ahead[from]++;
        }

        var ends = new Queue<int>(Enumerable.Range(0, links.Length).Where(i => ahead[i] == 0));
        while (ends.TryDequeue(out int end))
        {
            foreach (int from in before[end])
            {
                if (--ahead[from] == 0)
                {
                    ends.Enqueue(from);
                }
            }
        }

        int looping = Array.FindIndex(ahead, count => count > 0);
        if (looping >= 0)
        {
            ImportLink one = links[looping];
            throw new ArgumentException(
                $"Account '{one.Importer}' imports '{one.Import.Subject}' of '{one.Import.Account}', but this import is "
                + "part of a cycle of imports.");
        }
    }
}
