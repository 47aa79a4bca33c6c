namespace Broker.Server;

/// <summary>
/// Subjects that an account imports from another account: a <see cref="StreamImport"/> or a
/// <see cref="ServiceImport"/>. Immutable.
/// </summary>
public abstract class AccountImport
{
    private protected AccountImport(string account, string subject)
    {
        ArgumentException.ThrowIfNullOrEmpty(account);
        ArgumentException.ThrowIfNullOrEmpty(subject);
        Account = account;
        Subject = subject;
    }

    /// <summary>The name of the exporting account.</summary>
    public string Account { get; }

    /// <summary>
    /// The subject or filter in the exporting account. It may match fewer subjects than the exported filter.
    /// </summary>
    public string Subject { get; }

    /// <summary>
    /// The subject in the importing account. <c>$1</c> stands for the first wildcard of <see cref="Subject"/>, and
    /// <c>*</c> for the next wildcard in order. Null, the default: the same subject.
    /// </summary>
    public string? To { get; init; }

    /// <summary>The pattern of the subject in the importing account.</summary>
    internal virtual string LocalSubject => To ?? Subject;

    /// <summary>Returns the subject and the account.</summary>
    public override string ToString() => $"{Subject} of {Account}";
}
