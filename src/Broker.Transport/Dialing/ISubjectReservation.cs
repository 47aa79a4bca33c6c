namespace Broker.Transport;

/// <summary>
/// Subjects that a server keeps for the connections of this dialer. It has none at first, and disposing it removes all
/// of them. Any thread may use it.
/// </summary>
public interface ISubjectReservation : IDialer, IDisposable
{
    /// <summary>
    /// Replaces the reserved subjects. They are reserved in an account while a connection of this dialer is in it.
    /// </summary>
    /// <param name="filters">Subjects and filters. An empty list reserves nothing.</param>
    /// <exception cref="ArgumentException">A filter is not valid. Nothing has changed then.</exception>
    void SetSubjects(IReadOnlyCollection<string> filters);
}
