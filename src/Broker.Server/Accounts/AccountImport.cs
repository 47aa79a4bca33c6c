namespace Broker.Server.Accounts;

/// <summary>What an account takes from another: a <see cref="StreamImport"/> or a <see cref="ServiceImport"/>. Immutable.</summary>
public abstract class AccountImport
{
    private protected AccountImport(string account, string subject)
    {
        ArgumentException.ThrowIfNullOrEmpty(account);
        ArgumentException.ThrowIfNullOrEmpty(subject);
        Account = account;
        Subject = subject;
    }

    /// <summary>The account that exports it.</summary>
    public string Account { get; }

    /// <summary>The subject or filter there: all of an export, or a part of it.</summary>
    public string Subject { get; }

    /// <summary>
    /// What it is called here. <c>$1</c> stands for the first wildcard of <see cref="Subject"/>, <c>*</c> for the next one in order.
    /// Null, the default: the same.
    /// </summary>
    public string? To { get; init; }

    /// <summary>What it is called here, as a pattern.</summary>
    internal virtual string LocalSubject => To ?? Subject;

    /// <summary>Account and subject.</summary>
    public override string ToString() => $"{Subject} of {Account}";
}
