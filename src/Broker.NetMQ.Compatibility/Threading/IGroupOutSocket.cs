namespace NetMQ;

/// <summary>A socket that sends to groups.</summary>
public interface IGroupOutSocket : IThreadSafeSocket;
