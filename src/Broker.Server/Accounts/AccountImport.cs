using System.Text;

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

    /// <summary>
    /// Returns the subject in the importing account for a subject in the exporting account. Returns null if the import
    /// does not contain the subject, or if its patterns are not valid.
    /// </summary>
    /// <param name="subject">A subject without wildcards.</param>
    public string? ToLocal(string subject)
    {
        ArgumentNullException.ThrowIfNull(subject);
        return Text(CreateMapping()?.ToLocal(Encoding.UTF8.GetBytes(subject)));
    }

    /// <summary>
    /// Returns the subject in the exporting account for a subject in the importing account. Returns null if the import
    /// does not contain the subject, or if its patterns are not valid.
    /// </summary>
    /// <param name="subject">A subject without wildcards.</param>
    public string? ToRemote(string subject)
    {
        ArgumentNullException.ThrowIfNull(subject);
        return Text(CreateMapping()?.ToRemote(Encoding.UTF8.GetBytes(subject)));
    }

    /// <summary>Returns the subject and the account.</summary>
    public override string ToString() => $"{Subject} of {Account}";

    private ImportMapping? CreateMapping() => ImportMapping.Create(Subject, LocalSubject, this is ServiceImport, out _);

    private static string? Text(byte[]? subject) => subject is null ? null : Encoding.UTF8.GetString(subject);
}
