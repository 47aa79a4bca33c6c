namespace NetMQ;

/// <summary>A socket that knows its peers by numbers.</summary>
public interface IRoutingIdSocket : IThreadSafeSocket;
