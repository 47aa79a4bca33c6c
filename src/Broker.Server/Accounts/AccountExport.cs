namespace Broker.Server.Accounts;

/// <summary>What an account lets others import: a <see cref="StreamExport"/> or a <see cref="ServiceExport"/>. Immutable.</summary>
public abstract class AccountExport
{
    private protected AccountExport(string subject)
    {
        ArgumentException.ThrowIfNullOrEmpty(subject);
        Subject = subject;
    }

    /// <summary>The subject, or a filter of subjects, in the exporting account.</summary>
    public string Subject { get; }

    /// <summary>The names of the accounts that may import it. Null, the default: every one.</summary>
    public IReadOnlyList<string>? Accounts { get; init; }

    /// <summary>The subject.</summary>
    public override string ToString() => Subject;
}
