namespace NetMQ;

/// <summary>A socket that sends.</summary>
public interface IThreadSafeOutSocket : IThreadSafeSocket;
