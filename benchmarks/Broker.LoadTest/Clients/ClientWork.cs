namespace Broker.LoadTest.Clients;

/// <summary>The kinds of work that a client process does.</summary>
internal enum ClientWork
{
    /// <summary>Publishes.</summary>
    Publish,

    /// <summary>Receives in the form that costs least.</summary>
    Receive,

    /// <summary>Receives by an <c>await</c> for each message.</summary>
    Read,

    /// <summary>Sends requests.</summary>
    Request,
}
