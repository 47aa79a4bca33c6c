namespace Broker.Server;

/// <summary>
/// Subjects that other accounts may import: a <see cref="StreamExport"/> or a <see cref="ServiceExport"/>. Immutable.
/// </summary>
public abstract class AccountExport
{
    private protected AccountExport(string subject)
    {
        ArgumentException.ThrowIfNullOrEmpty(subject);
        Subject = subject;
    }

    /// <summary>The subject or filter in the exporting account.</summary>
    public string Subject { get; }

    /// <summary>The names of the accounts that may import the subject. Null, the default: all accounts.</summary>
    public IReadOnlyList<string>? Accounts { get; init; }

    /// <summary>Returns the subject.</summary>
    public override string ToString() => Subject;
}
