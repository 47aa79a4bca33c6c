namespace NetMQ;

/// <summary>A socket that receives from groups.</summary>
public interface IGroupInSocket : IThreadSafeSocket;
