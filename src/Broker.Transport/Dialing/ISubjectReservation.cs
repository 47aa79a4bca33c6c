namespace Broker.Transport;

/// <summary>
/// A dialer with a set of subjects that the server reserves for its connections. At first the set is empty. Disposing
/// the dialer removes all of its reservations. Any thread may use it.
/// </summary>
public interface ISubjectReservation : IDialer, IDisposable
{
    /// <summary>
    /// Replaces the reserved subjects. The subjects are reserved in each account that contains a connection of this
    /// dialer.
    /// </summary>
    /// <param name="filters">Subjects and filters. An empty list reserves nothing.</param>
    /// <exception cref="ArgumentException">A filter is not valid. In this case nothing has changed.</exception>
    void SetSubjects(IReadOnlyCollection<string> filters);
}
