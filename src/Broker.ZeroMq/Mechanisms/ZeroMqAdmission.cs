using System.Runtime.InteropServices;

namespace Broker.ZeroMq.Mechanisms;

/// <summary>The application's word on a peer. The default value refuses.</summary>
[StructLayout(LayoutKind.Auto)]
public readonly struct ZeroMqAdmission : IEquatable<ZeroMqAdmission>
{
    private readonly string? _text;

    private ZeroMqAdmission(bool isAdmitted, string text)
    {
        IsAdmitted = isAdmitted;
        _text = text;
    }

    /// <summary>Whether the peer is taken.</summary>
    public bool IsAdmitted { get; }

    /// <summary>Who it is to the application; empty when it did not say, or refused.</summary>
    public string UserId => IsAdmitted ? _text ?? "" : "";

    /// <summary>Why it was refused: for the log. The peer is told no more than that it was.</summary>
    public string Reason => IsAdmitted ? "" : _text ?? "refused";

    /// <summary>Takes the peer.</summary>
    /// <param name="userId">Who it is; found again at the peer.</param>
    public static ZeroMqAdmission Admit(string userId = "")
    {
        ArgumentNullException.ThrowIfNull(userId);
        return new ZeroMqAdmission(true, userId);
    }

    /// <summary>Turns the peer away.</summary>
    /// <param name="reason">Why; one line for the log.</param>
    public static ZeroMqAdmission Refuse(string reason)
    {
        ArgumentNullException.ThrowIfNull(reason);
        return new ZeroMqAdmission(false, reason);
    }

    /// <inheritdoc/>
    public bool Equals(ZeroMqAdmission other) =>
        IsAdmitted == other.IsAdmitted && string.Equals(_text, other._text, StringComparison.Ordinal);

    /// <inheritdoc/>
    public override bool Equals(object? obj) => obj is ZeroMqAdmission other && Equals(other);

    /// <inheritdoc/>
    public override int GetHashCode() => HashCode.Combine(IsAdmitted, _text);

    /// <summary>Whether they say the same.</summary>
    public static bool operator ==(ZeroMqAdmission left, ZeroMqAdmission right) => left.Equals(right);

    /// <summary>Whether they say different things.</summary>
    public static bool operator !=(ZeroMqAdmission left, ZeroMqAdmission right) => !left.Equals(right);
}
